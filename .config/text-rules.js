// @ts-check
/**
 * Rules of this project that a search finds in the text of the source files, without a parser. Exit code 1 when a file breaks a rule. The
 * names that were replaced are in `.oxlintrc.json` (`id-denylist`).
 *
 *     node .config/text-rules.js FOLDER...
 */
import { readFileSync, readdirSync } from 'node:fs';

/** Folders whose files are installed or generated. */
const ignored = new Set(['node_modules', 'generated', 'gen', 'dist']);

const name = String.raw`#?(\w*[a-z]Of)\b`;
const isFunction = String.raw`\s*(?::(?:=>|[^=;])*)?=\s*(?:async\s*)?(?:function\b|<|\(|\w+\s*=>)`;
const modifiers = String.raw`^[ \t]+(?:(?:public|private|protected|static|override|readonly|async|get|set)\s+)*`;

/** @type {{ rule: string, patterns: RegExp[], message: string }[]} */
export const rules = [
  {
    rule: 'say-which',
    patterns: [
      new RegExp(String.raw`\bfunction\*?\s+${name}`, 'gm'),
      new RegExp(String.raw`\b(?:const|let|var)\s+${name}${isFunction}`, 'gm'),
      new RegExp(`${modifiers}${name}${isFunction}`, 'gm'),
      new RegExp(String.raw`${modifiers}${name}\s*(?:<[^>(]*>)?\(`, 'gm'),
    ],
    message: 'The name of a function says what it does: createX, getX, toX, parseX, isX.',
  },
  {
    rule: 'no-packed-properties',
    // In JSX, `{...{ a, b }}` is an attribute.
    patterns: [/(?<!\{)\.\.\.\{/g],
    message: 'Write the properties themselves, one on each line, instead of spreading an object literal.',
  },
];

/**
 * @param {string} file
 * @param {string} text
 */
function check(file, text) {
  for (const { rule, patterns, message } of rules) {
    for (const pattern of patterns) {
      for (const { index } of text.matchAll(pattern)) {
        const line = text.slice(0, index).split('\n').length;
        process.stdout.write(`${file}:${line}: ${rule}: ${message}\n`);
        process.exitCode = 1;
      }
    }
  }
}

/** @param {string} folder */
function checkFolder(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!ignored.has(entry.name)) checkFolder(path);
    } else if (/\.tsx?$/.test(entry.name)) {
      check(path, readFileSync(path, 'utf8'));
    }
  }
}

if (import.meta.main) for (const folder of process.argv.slice(2)) checkFolder(folder);
