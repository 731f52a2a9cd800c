// The strings of scripts that may be read on the screen: `node sentences.mjs FILE ...` prints them as JSON, by file.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What stands between two pieces of a template. @param {string} code */
const slot = code => `{${code.length > 30 ? '…' : code}}`;

/** @param {ts.Node} node @param {ts.SourceFile} source @param {[number, string][]} found */
function look(node, source, found) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
  const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push([line, node.text]);
  if (ts.isTemplateExpression(node))
    found.push([line, node.head.text + node.templateSpans.map(span => slot(span.expression.getText(source)) + span.literal.text).join('')]);
  ts.forEachChild(node, child => look(child, source, found));
}

const all = process.argv.slice(2).map(path => {
  /** @type {[number, string][]} */
  const found = [], source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  look(source, source, found);
  return [path, found];
});
process.stdout.write(JSON.stringify(Object.fromEntries(all)));
