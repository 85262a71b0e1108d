// Tokens of rule files by a TextMate grammar, as VS Code finds them.
//
//   node tokens.mjs EXTENSION FILE…    →   a line of JSON a file: its lines, each a list of [start, end, scopes]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [extension, ...files] = process.argv.slice(2);
const require = createRequire(resolve(extension, "package.json"));
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const path = join(extension, "syntaxes", "rif.tmLanguage.json");
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(path, "utf8"), path),
});
const grammar = await registry.loadGrammar("source.rif");

for (const file of files) {
  let state = textmate.INITIAL;
  const lines = readFileSync(file, "utf8").split("\n").map((line) => {
    const found = grammar.tokenizeLine(line, state);
    state = found.ruleStack;
    return found.tokens.map((token) => [token.startIndex, token.endIndex, token.scopes.slice(1)]);
  });
  console.log(JSON.stringify(lines));
}
