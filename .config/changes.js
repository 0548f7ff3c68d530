// @ts-check
/**
 * Change notes, in the format of changesets (.changeset/README.md), and the version that they lead to.
 *
 *     npm run changes                  lists the notes and the next version
 *     npm run changes -- --release     moves the notes into CHANGELOG.md and writes the next version to every place that has it
 *     npm run changes -- --notes       prints the section of the newest release
 *
 * The command of changesets does not fit: it versions the packages of npm workspaces, each with a changelog of its own. Skein has one
 * version and one changelog for server, images, charts and clients.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {'major' | 'minor' | 'patch'} Bump */
/** @typedef {{ readonly bump: Bump, readonly text: string }} Note */

const root = fileURLToPath(new URL('..', import.meta.url));
/** @param {string} path */
const read = path => readFileSync(join(root, path), 'utf8');
const noteFiles = () =>
  globSync('.changeset/*.md', { cwd: root }).filter(path => !path.endsWith('README.md'));

const manifest = /"name": "(?:skein|@skein\/[a-z]+)",\n +"version": "(.+)"/g;

/**
 * Files that carry the version. The first group of each pattern is the number.
 *
 * @type {Readonly<Record<string, RegExp>>}
 */
export const versionPlaces = {
  'package.json': manifest,
  'package-lock.json': manifest,
  'clients/package.json': manifest,
  'clients/cli/package.json': manifest,
  'clients/sdk/package.json': manifest,
  'deploy/compose.yaml': /^ +image: skein:(.+)$/gm,
  'deploy/helm/Chart.yaml': /^(?:version|appVersion): (.+)$/gm,
  'deploy/helm/values.yaml': /^ +tag: (.+)$/gm,
  'deploy/kubernetes/deployment.yaml': /app\.kubernetes\.io\/version: (.+)$/gm,
  'deploy/kubernetes/kustomization.yaml': /newTag: (.+)$/gm,
  'docs/guide/cli.md': /\bskein-(\d[\d.]*)\.tgz/g,
  'docs/guide/first-five-minutes.md': /\bskein-sdk-(\d[\d.]*)\.tgz/g,
  'docs/guide/sdk.md': /\bskein-sdk-(\d[\d.]*)\.tgz/g,
  'docs/operate/deploy.md': /example\.com\/skein:(\S+)/g,
};

/**
 * Reads a note.
 *
 * @param {string} path
 * @param {string} content
 * @returns {Note}
 */
export function parseNote(path, content) {
  const [, bump, text] = /^---\n['"]?skein['"]?: (major|minor|patch)\n---\n([^]*\S[^]*)$/.exec(content) ?? [];
  if (text === undefined) throw new Error(`${path} is not a change note: see .changeset/README.md`);
  return { bump: /** @type {Bump} */ (bump), text: text.trim() };
}

/**
 * Returns the version after the notes: docs/develop/releases.md ("The number").
 *
 * @param {string} version
 * @param {readonly Note[]} notes
 */
export function getNextVersion(version, notes) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const bumps = new Set(notes.map(({ bump }) => bump));
  if (bumps.has('major')) return `${major + 1}.0.0`;
  return bumps.has('minor') ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/**
 * Returns the changelog with a section for the release in front of the others.
 *
 * @param {string} changelog
 * @param {string} heading
 * @param {readonly Note[]} notes
 */
export function addRelease(changelog, heading, notes) {
  const parts = [
    { title: 'Before you upgrade', listed: notes.filter(({ bump }) => bump !== 'patch') },
    { title: 'Changes', listed: notes.filter(({ bump }) => bump === 'patch') },
  ];
  const sections = parts
    .filter(({ listed }) => listed.length > 0)
    .map(({ title, listed }) => {
      const items = listed.map(({ text }) => `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}`);
      return `### ${title}\n\n${items.join('\n')}\n`;
    });
  const at = changelog.indexOf('\n## ') + 1;
  return `${changelog.slice(0, at)}## ${heading}\n\n${sections.join('\n')}\n${changelog.slice(at)}`;
}

/**
 * Returns the newest section of the changelog without its heading.
 *
 * @param {string} changelog
 */
export function getNewestSection(changelog) {
  const [, section = ''] = changelog.split(/^## .*\n/m);
  return `${section.trim()}\n`;
}

/**
 * Writes the version to every place that has it.
 *
 * @param {string} version
 */
function writeVersion(version) {
  for (const [path, pattern] of Object.entries(versionPlaces)) {
    const text = read(path).replaceAll(pattern, (match, number) => match.replace(number, version));
    writeFileSync(join(root, path), text);
  }
}

/** @param {string | undefined} command */
function run(command) {
  if (command === '--notes') return void process.stdout.write(getNewestSection(read('CHANGELOG.md')));
  const files = noteFiles();
  const notes = files.map(path => parseNote(path, read(path)));
  if (notes.length === 0) return void process.stdout.write('No change notes.\n');
  const next = getNextVersion(JSON.parse(read('package.json')).version, notes);
  for (const { bump, text } of notes) process.stdout.write(`${bump}: ${text}\n`);
  process.stdout.write(`Next version: ${next}\n`);
  if (command !== '--release') return;
  const heading = `[${next}] - ${new Date().toISOString().slice(0, 10)}`;
  writeFileSync(join(root, 'CHANGELOG.md'), addRelease(read('CHANGELOG.md'), heading, notes));
  writeVersion(next);
  for (const path of files) rmSync(join(root, path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv[2]);
