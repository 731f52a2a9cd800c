// Makes encoder/browser/built/front.js of encoder/browser/mount.js, and built/pages.js, built/in_class.js, built/lesson.js, built/more.js and
// built/origin_of_number.js of the modules of these names, which take from front.js what they need of it, and pages/ui/built/ of the scripts that Streamlit gets; with
// --check it fails where what is there differs.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}encoder/browser`;
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
/** Of the glossary what a page explains where it stands. */
const terms = {
  name: 'terms',
  setup(given) {
    given.onLoad({ filter: /glossary\.json$/ }, async ({ path }) => {
      const all = JSON.parse(await readFile(path, 'utf8')).filter(({ words }) => words).map(({ words, meaning }) => ({ words, meaning }));
      return { contents: JSON.stringify(all), loader: 'json' };
    });
  },
};
const LATER = ['pages.js', 'in_class.js', 'lesson.js', 'more.js', 'origin_of_number.js'];
const usual = { absWorkingDir: root, bundle: true, charset: 'utf8', legalComments: 'none', format: 'esm', metafile: true, minify: true, target, write: false };
const apart = { name: 'apart', setup: given => given.onResolve({ filter: /^\.\/(pages|in_class|lesson|more|plotly)\.js$/ }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined)) };

/** The scripts that a file is made of. */
const scriptsOf = async entry => {
  const { metafile } = await build({ ...usual, entryPoints: [`${folder}/${entry}`], plugins: [style, terms, apart] });
  return Object.keys(metafile.inputs).filter(path => path.endsWith('.js') && !path.includes('node_modules')).map(path => basename(path));
};
const [first, ...later] = await Promise.all(['mount.js', ...LATER].map(scriptsOf));
const both = first.filter(name => later.some(names => names.includes(name))).sort();

/** The names that a script of ours exports. */
const exportsOf = async name => [...(await readFile(`${folder}/${name}`, 'utf8')).matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(found => found[1]);
const shared = {
  name: 'shared',
  setup(given) {
    given.onResolve({ filter: /^\.\/\w+\.js$/ }, ({ path, kind }) => {
      if (path === './front.js' || kind === 'dynamic-import') return { path, external: true };
      return both.includes(basename(path)) ? { path: basename(path), namespace: 'shared' } : undefined;
    });
    given.onLoad({ filter: /./, namespace: 'shared' }, async ({ path }) => ({
      contents: `import { modules } from './front.js';\nexport const { ${(await exportsOf(path)).join(', ')} } = modules['${path}'];`, resolveDir: folder,
    }));
  },
};
const entry = `export * from './mount.js';\n${both.map((name, i) => `import * as part${i} from './${name}';`).join('\n')}
export const modules = { ${both.map((name, i) => `'${name}': part${i}`).join(', ')} };`;
/** Plotly's own file as a module, with its licence. */
const LICENCE = /^\/\*\*[^]*?\*\//;
const plotly = {
  stdin: { contents: "export { default } from 'plotly.js-cartesian-dist-min';", resolveDir: `${root}tests/javascript`, sourcefile: 'plotly.js' },
  banner: { js: (await readFile(`${root}tests/javascript/node_modules/plotly.js-cartesian-dist-min/plotly-cartesian.min.js`, 'utf8')).match(LICENCE)[0] },
};
const FOR_STREAMLIT = { frame: 'front/frame.js', scripts: 'ui/scripts.js' };
const made = {
  'encoder/browser/built/front.js': await build({ ...usual, banner: { js: '/* With lit-html: Copyright 2017 Google LLC, BSD-3-Clause. */' }, stdin: { contents: entry, resolveDir: folder, sourcefile: 'front.js' }, plugins: [style, terms, apart] }),
  'encoder/browser/built/plotly.js': await build({ ...usual, ...plotly, legalComments: 'eof' }),
  ...Object.fromEntries(await Promise.all(LATER.map(async name => [`encoder/browser/built/${name}`, await build({ ...usual, entryPoints: [`${folder}/${name}`], plugins: [style, terms, shared] })]))),
  ...Object.fromEntries(await Promise.all(Object.entries(FOR_STREAMLIT).map(async ([name, path]) => [`pages/ui/built/${name}.js`, await build({ ...usual, entryPoints: [`${root}pages/${path}`] })]))),
};
for (const [name, { outputFiles }] of Object.entries(made)) {
  const file = `${root}${name}`, text = `// Made by tests/javascript/build.mjs.\n${outputFiles[0].text}`;
  if (process.argv.includes('--check')) {
    if (await readFile(file, 'utf8').catch(() => '') === text) continue;
    console.error(`${name} is not what its sources make: node tests/javascript/build.mjs`);
    process.exit(1);
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(`${name}: ${text.length} characters`);
}
