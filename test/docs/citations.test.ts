/**
 * Comments cite only what a reader of the repository has. A document is cited by its path, a heading of it in quotes or in
 * parentheses behind it: `<path>.md ("Heading")`, `<path>.md, "Heading"`, `<path>.md (Heading)`, `<path>.md#anchor`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import t, { type Test } from 'tap';
import ts from 'typescript';
import { documentExists, isSourceFile, readDocument, repositoryFiles, root } from './markdown.ts';

const files = repositoryFiles('**/*.{ts,js,cjs,mjs}', '.config/*').filter(
  path => !path.startsWith('protocol/gen/'),
);

interface Comment {
  readonly path: string;
  readonly line: number;
  /** On one line, without its marks. */
  readonly text: string;
}

const comments = files.flatMap(parseComments);

/** Comments are what looks like one outside of strings, templates and regular expressions. */
function parseComments(path: string): Comment[] {
  const text = readFileSync(join(root, path), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TS);
  const pieces: string[] = [];
  let copied = 0;
  const blank = (from: number, to: number): void => {
    pieces.push(text.slice(copied, from), text.slice(from, to).replaceAll(/[^\n]/g, ' '));
    copied = to;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateMiddleOrTemplateTail(node))
      blank(node.getStart(source), node.end);
    else if (ts.isTemplateHead(node) || ts.isRegularExpressionLiteral(node))
      blank(node.getStart(source), node.end);
    else ts.forEachChild(node, visit);
  };
  visit(source);
  const code = pieces.join('') + text.slice(copied);
  return [...code.matchAll(/(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+|\/\*[^]*?\*\//g)].map(
    ({ 0: found, index }) => ({
      path,
      line: code.slice(0, index).split('\n').length,
      text: found
        .replaceAll(/^[ \t]*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)/gm, '')
        .replaceAll(/\*\/$/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    }),
  );
}

const citation =
  /(?<![\w/.:-])((?:[\w.-]+\/)*[\w-][\w.-]*\.md)\b(?:#([\w-]+)|,? \(?("[^"]+"(?:(?:,|,? and) "[^"]+")*)\)?| \(([A-Z][^)"]*)\))?/g;

/** What is wrong with the citations of a comment. */
function findFaults({ path, text }: Comment): string[] {
  return [...text.matchAll(citation)].flatMap(([, named = '', anchor, quoted, bracketed]) => {
    const beside = posix.join(dirname(path).replaceAll('\\', '/'), named);
    const document = [named, beside].find(documentExists);
    if (document === undefined) return [`there is no ${named}`];
    const { anchors, headings } = readDocument(document);
    if (anchor !== undefined) return anchors.has(anchor) ? [] : [`${document} has no #${anchor}`];
    const wanted =
      bracketed === undefined ? [...(quoted ?? '').matchAll(/"([^"]+)"/g)].map(m => m[1] ?? '') : [bracketed];
    return wanted.filter(heading => !headings.has(heading)).map(heading => `${document} has no "${heading}"`);
  });
}

const sourceCitation =
  /(?<![\w/.@:-])((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|mjs|cjs|proto)|(?:[\w.-]+\/)+[\w-][\w.-]*\.js)(?![\w/])/g;

/** The source files that a comment names and that are not there: from the root, beside it, or by the end of their path. */
function findMissingSources({ path, text }: Comment): string[] {
  return [...text.matchAll(sourceCitation)].flatMap(([, named = '']) => {
    const beside = posix.join(dirname(path).replaceAll('\\', '/'), named);
    return documentExists(beside) || isSourceFile(named) ? [] : [`there is no ${named}`];
  });
}

/** Documents that are not in the repository, and ways to point into one without naming it. */
const absent: Readonly<Record<string, RegExp>> = {
  specification:
    /(?<!OpenAPI |HTTP |HTML |JSON Schema |TypeID |W3C |TAP |gRPC |Standard Webhooks |URL )\bspecification(?:s|'s|\u2019s)?\b/i,
  decisions:
    /\bdecisions?,? sections?\b|\((?:see )?decisions?[,)]|\b(?:of|by|in|to) (?:the )?decisions section/i,
  design: /\b(?:the |\()design\b|\bdesign,? sections?\b/i,
  'a section of nothing':
    /(?<!(?:RFC|manual|Fetch|HTML|POSIX|PostgreSQL|ECMAScript)[^.]{0,60})\bsections? \d/i,
  'a document elsewhere': /(?<![\w/.-])(?:spec|design|decisions|stack|style|sdk-cli|web|chatapp)\.md\b/,
};

interface Fault {
  readonly comment: Comment;
  readonly what: string;
  /** Where in the comment's text. */
  readonly index: number;
}

/** Fails once for each, with the place and what stands there. */
function report(t: Test, faults: readonly Fault[]): void {
  for (const { comment, what, index } of faults) {
    const { path, line, text } = comment;
    t.fail(`${path}:${line}: ${what}: ${text.slice(Math.max(0, index - 40), index + 60)}`);
  }
  if (faults.length === 0) t.pass(`${comments.length} comments`);
}

t.test('every document and heading that a comment cites exists', async t => {
  report(
    t,
    comments.flatMap(comment => findFaults(comment).map(what => ({ comment, what, index: 0 }))),
  );
});

t.test('every source file that a comment names exists', async t => {
  report(
    t,
    comments.flatMap(comment => findMissingSources(comment).map(what => ({ comment, what, index: 0 }))),
  );
});

t.test('no comment points to a document that is not here', async t => {
  report(
    t,
    comments.flatMap(comment => {
      for (const [what, pattern] of Object.entries(absent)) {
        const index = comment.text.search(pattern);
        if (index >= 0) return [{ comment, what, index }];
      }
      return [];
    }),
  );
});

t.test('citations are recognised in each of their forms', async t => {
  const faults = (text: string): string[] => findFaults({ path: 'test/docs/x.ts', line: 1, text });
  const known = 'docs/contract-decisions.md';
  for (const text of [
    `see ${known}`,
    `(${known}, "States").`,
    `${known} ("States", "Events") and more`,
    `${known} (Agents on threads)`,
    `${known}#outbound-address-guard`,
    'https://example.com/docs/none.md is somewhere else',
  ]) {
    t.same(faults(text), [], text);
  }
  for (const text of [
    'docs/none.md',
    `${known}, "Statutes"`,
    `${known} ("States" and "Statutes")`,
    `${known} (Statutes)`,
    `${known}#statutes`,
  ]) {
    t.equal(faults(text).length, 1, text);
  }
});

t.test('source files are recognised by each end of their path', async t => {
  const missing = (text: string): string[] => findMissingSources({ path: 'test/docs/x.ts', line: 1, text });
  for (const text of ['see markdown.ts', 'docs/markdown.ts', 'test/docs/markdown.ts', 'uWebSockets.js']) {
    t.same(missing(text), [], text);
  }
  for (const text of [
    'see nowhere.ts',
    'gateway/markdown.ts',
    '(nowhere.worker.ts)',
    'test/support/none.js',
  ]) {
    t.equal(missing(text).length, 1, text);
  }
});
