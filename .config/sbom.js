// @ts-check
/**
 * Prints the bill of materials of what the product runs with: CycloneDX, from the lock file.
 *
 *     npm run --silent sbom > sbom.json
 *
 * `npm sbom --omit=dev` does not serve: it also leaves out what both the product and its tests need (npm 11.19: pg, pino, ws). So npm lists
 * everything, and what the lock file marks as needed for development alone is removed here.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { stdout, stderr, status } = spawnSync(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
  {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    shell: process.platform === 'win32',
  },
);
if (status !== 0) {
  process.stderr.write(stderr);
  process.exit(1);
}

/** @type {{ packages: Record<string, { name?: string, version: string, dev?: boolean, link?: boolean }> }} */
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = new Set();
for (const [path, { name, version, dev, link }] of Object.entries(packages)) {
  // This repository's own folders, and links to them.
  if (!path.includes('node_modules/') || link === true) continue;
  const folder = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (dev !== true) shipped.add(`${name ?? folder}@${version}`);
}

/** @type {{ components: { 'bom-ref': string }[], dependencies: { ref: string, dependsOn: string[] }[] }} */
const bill = JSON.parse(stdout);
bill.components = bill.components.filter(component => shipped.has(component['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => shipped.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => shipped.has(each)) }));
process.stdout.write(`${JSON.stringify(bill, undefined, 2)}\n`);
