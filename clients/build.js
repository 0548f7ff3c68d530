/**
 * `npm run build`, which npm also runs as `prepare`: generates code from the contract (.config/generate.js), and builds the web apps into
 * clients/dist, unless they were built from the same sources. Prints the processor time that it took.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { generate } from '../.config/generate.js';

const clients = import.meta.dirname;
const dist = join(clients, 'dist');
const fresh = join(clients, `dist.${process.pid}`);
const apps = ['console', 'studio'];
const folders = [...apps, 'kit', 'sdk'];
const files = ['build.js', 'vite.config.ts', 'package.json', '../package-lock.json'];
/** Smaller ones fit in a packet as they are. */
const leastCompressed = 1_024;

/** Of everything that the built files depend on. */
function hashSources() {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = readdirSync(join(clients, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    for (const path of paths.sort()) hash.update(path.slice(clients.length)).update(readFileSync(path));
  }
  for (const file of files) hash.update(readFileSync(join(clients, file)));
  return hash.digest('hex');
}

async function compressAssets() {
  const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)];
  const names = readdirSync(join(fresh, 'assets')).filter(name => /\.(?:js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async name => {
      const path = join(fresh, 'assets', name);
      const plain = readFileSync(path);
      if (plain.length < leastCompressed) return;
      // Level 11 makes files 8 % smaller and takes six times as long.
      writeFileSync(`${path}.br`, await toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      writeFileSync(`${path}.gz`, await toGzip(plain, { level: 9 }));
    }),
  );
}

async function loadVite() {
  try {
    return await import('vite');
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/** Whether what is there was built from these sources. */
function isBuiltFrom(sources) {
  const stamp = join(dist, 'stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sources;
}

/** Puts what was built in its place. Another process may do the same at this moment. */
function publish(sources) {
  if (isBuiltFrom(sources)) return;
  rmSync(dist, { recursive: true, force: true });
  try {
    renameSync(fresh, dist);
  } catch (error) {
    if (!isBuiltFrom(sources)) throw error;
  }
}

async function build() {
  await generate();
  const sources = hashSources();
  if (isBuiltFrom(sources)) return;
  const vite = await loadVite();
  if (vite === undefined) {
    process.stdout.write('The web apps are not built: the packages that build them are not installed.\n');
    return;
  }
  try {
    // Each by itself: chunks that both share would bring each what only the other one needs (9 KiB of the Console's first page).
    for (const app of apps) {
      await vite.build({
        configFile: join(clients, 'vite.config.ts'),
        logLevel: 'warn',
        build: {
          outDir: fresh,
          emptyOutDir: false,
          manifest: `.vite/${app}.json`,
          rolldownOptions: { input: { [app]: `${app}/index.html` } },
        },
      });
    }
    await compressAssets();
    writeFileSync(join(fresh, 'stamp'), sources);
    publish(sources);
    const { user, system } = process.cpuUsage();
    process.stdout.write(`Built the web apps: ${((user + system) / 1e6).toFixed(1)} s of processor time.\n`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

await build();
