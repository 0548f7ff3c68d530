// @ts-check
/**
 * Preloaded into the processes of a test run (module-cache-options.ts): Node's type stripping takes a third of the processor time of a
 * start, and hundreds of processes of a run load the same files. What Node makes of a file is kept in node_modules/.cache, by the hash of
 * the file's text. This file is JavaScript because it runs before any type is stripped.
 */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(
  new URL(`../../node_modules/.cache/skein-tests/stripped-${process.version}/`, import.meta.url),
);
mkdirSync(folder, { recursive: true });

/** @param {string} text */
function strip(text) {
  const kept = `${folder}${hash('sha256', text)}`;
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const source = stripQuietly(text);
    // Processes that do so at the same time write the same.
    const draft = `${kept}.${process.pid}`;
    writeFileSync(draft, source);
    renameSync(draft, kept);
    return source;
  }
}

/**
 * Without the warning that this function of Node is experimental.
 * @param {string} text
 */
function stripQuietly(text) {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** One change of one file, for mutation tests (test/mutation). */
const mutation = process.env['MUTATION'] === undefined ? undefined : JSON.parse(process.env['MUTATION']);
const mutated = mutation === undefined ? undefined : pathToFileURL(mutation.file).href;

/**
 * @param {string} url
 * @param {string} text
 */
function mutate(url, text) {
  if (url !== mutated) return text;
  return `${text.slice(0, mutation.from)}${mutation.replacement}${text.slice(mutation.to)}`;
}

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !/\.ts(?:$|\?)/.test(url)) return nextLoad(url, context);
    const source = strip(mutate(url, readFileSync(fileURLToPath(url), 'utf8')));
    return { format: 'module', source, shortCircuit: true };
  },
});
