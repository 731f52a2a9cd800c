// Makes encoder/browser/built/front.js of encoder/browser/mount.js; with --check it fails where the one that is there differs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = `${root}encoder/browser/built/front.js`;
const target = ['chrome123', 'firefox120', 'safari17.5'];
const style = {
  name: 'style',
  setup(given) {
    given.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};
const { outputFiles } = await build({
  absWorkingDir: root, entryPoints: ['encoder/browser/mount.js'], bundle: true, charset: 'utf8', format: 'esm', minify: true,
  outfile: file, plugins: [style], target, write: false,
});
const made = `// Made by tests/javascript/build.mjs.\n${outputFiles[0].text}`;
if (process.argv.includes('--check')) {
  if (await readFile(file, 'utf8').catch(() => '') !== made) {
    console.error(`${relative(root, file)} is not what its sources make: node tests/javascript/build.mjs`);
    process.exit(1);
  }
} else {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, made);
  console.log(`${relative(root, file)}: ${made.length} characters`);
}
