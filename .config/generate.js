// @ts-check
/**
 * `npm run generate`: writes the code that follows from the contract. None of it is committed.
 *
 *     protocol/gen             types of the gRPC contract, from protocol/internal.proto
 *     clients/sdk/generated    types, resources and operations of the SDK, from the operation table
 *     clients/cli/generated    what `skein api` knows about each operation, from the same table
 *
 * A stamp holds a hash of the sources and of the generated files; where it fits, nothing is written. The launcher checks it before each program
 * that needs this code. Each file is replaced atomically and the stamp is written last, so that two processes may run this at once, and the next
 * run repairs what a killed one has left.
 *
 * The launcher imports this file: it must parse on every Node from version 18 on. Only `generate` needs the project's Node and packages.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['protocol/gen', 'clients/sdk/generated', 'clients/cli/generated'];
const stamp = join(root, 'protocol/gen/stamp');
const sources = [
  'protocol',
  'clients/sdk/generate.ts',
  'clients/sdk/generator',
  'clients/sdk/names.ts',
  'clients/cli/generate.ts',
  '.config/generate.js',
  // Versions of packages.
  'package.json',
];

/**
 * Returns the paths of all files below a path, which may be a file itself.
 *
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  const file = join(root, path);
  if (!existsSync(file)) return [];
  if (!statSync(file).isDirectory()) return [path];
  return readdirSync(file).flatMap(name => listFiles(`${path}/${name}`));
}

const listGenerated = () => folders.flatMap(listFiles).filter(path => path.endsWith('.ts'));

/** Hashes the sources and the generated files that exist now. */
function hashFiles() {
  const hash = createHash('sha256');
  const read = sources.flatMap(listFiles).filter(path => !path.startsWith('protocol/gen/'));
  for (const path of [...read, ...listGenerated()].sort()) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** Returns whether the generated files are there and fit their sources. */
export function isGenerated() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashFiles();
}

/** Writes the generated files, unless they fit their sources already. */
export async function generate() {
  if (isGenerated()) return;
  const [sdk, cli] = await Promise.all([
    import('../clients/sdk/generate.ts'),
    import('../clients/cli/generate.ts'),
  ]);
  /** @type {Record<string, string>} */
  const files = await generateProtocolTypes();
  for (const [name, text] of Object.entries(sdk.generate())) files[`clients/sdk/generated/${name}`] = text;
  files['clients/cli/generated/operations.ts'] = cli.generate();
  for (const path of listGenerated()) if (!(path in files)) rmSync(join(root, path), { force: true });
  for (const [path, text] of Object.entries(files)) replaceFile(join(root, path), text);
  replaceFile(stamp, hashFiles());
}

/**
 * @param {string} file
 * @param {string} text
 */
function replaceFile(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text);
  renameSync(fresh, file);
}

/** Returns what proto-loader-gen-types makes. Its options are those by which gateway/grpc/definition.ts loads the contract. */
async function generateProtocolTypes() {
  const generator = join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js');
  const folder = await mkdtemp(join(tmpdir(), 'skein-generate-'));
  try {
    const options = [
      ...['--longs=String', '--enums=String', '--defaults', '--oneofs', '--includeComments'],
      ...['--grpcLib=@grpc/grpc-js', '--importFileExtension=.ts', '--includeDirs=protocol'],
    ];
    const args = [generator, ...options, `--outDir=${folder}`, 'internal.proto'];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const names = entries.filter(name => name.endsWith('.ts')).map(name => name.replaceAll('\\', '/'));
    return Object.fromEntries(
      names.map(name => [`protocol/gen/${name}`, readFileSync(join(folder, name), 'utf8')]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generate();
