/** What the product is made of is known to the byte: exact versions, hashes, licences, no install scripts but those that are named. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Manifest {
  readonly [group: string]: unknown;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface Locked {
  /** Where the folder is called otherwise. */
  readonly name?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  /** A folder of this repository. */
  readonly link?: boolean;
  readonly version: string;
}

/** CycloneDX 1.5, as far as it is looked at. */
interface BillOfMaterials {
  readonly bomFormat: string;
  readonly components: readonly {
    /** Name and version, as the registry has them. */
    readonly 'bom-ref': string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string }[];
    readonly licenses?: readonly {
      readonly license?: { readonly id: string };
      readonly expression?: string;
    }[];
  }[];
}

const read = async <T>(file: string): Promise<T> => JSON.parse(await readFile(`${root}${file}`, 'utf8')) as T;
const manifest = await read<Manifest>('package.json');
const { packages } = await read<{ packages: Record<string, Locked> }>('package-lock.json');
/** What comes from the registry: not this repository, and not its workspace. */
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);
const getName = (path: string, { name }: Locked): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Runs a script of package.json; resolves with its exit code and what it printed. */
function run(script: string, environment: Readonly<Record<string, string>> = {}): Promise<[number, string]> {
  return new Promise(resolve => {
    const options = { cwd: root, env: { ...process.env, ...environment }, maxBuffer: 100_000_000 };
    execFile('npm', ['run', '--silent', script], options, (error, stdout) =>
      resolve([typeof error?.code === 'number' ? error.code : 0, stdout]),
    );
  });
}

t.test('every version is exact, and every package has its hash', async t => {
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[group] as Record<string, string>)) {
      t.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$|^npm:[@\w/.-]+@\d+\.\d+\.\d+$/, name);
    }
  }
  for (const [path, { integrity }] of locked) {
    if (integrity?.startsWith('sha512-') !== true) t.fail(`${path} has no hash`);
  }
});

t.test('install scripts run only where they are named', async t => {
  for (const [path, entry] of locked) {
    if (entry.hasInstallScript !== true) continue;
    const name = getName(path, entry);
    const isNamed = Object.keys(manifest.allowScripts).some(
      each => each === name || each.startsWith(`${name}@`),
    );
    t.ok(isNamed, `${name} has a script that package.json neither allows nor refuses`);
  }
});

/** Licences under which whoever runs or changes Skein owes no more than a notice. */
const permissive =
  /\b(Apache-2\.0|MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|PostgreSQL|Python-2\.0)\b/;
/** Licences that stand in the package's files, and in no form that npm reads. */
const stated: Readonly<Record<string, string>> = {
  'decko@1.2.0': 'MIT',
  'stickyfill@1.1.1': 'MIT',
  'url-template@2.0.8': 'BSD-3-Clause',
};

t.test('the bill of materials names all that the product runs with, with hashes and licences', async t => {
  const [code, text] = await run('sbom');
  t.equal(code, 0);
  const bill = JSON.parse(text) as BillOfMaterials;
  t.equal(bill.bomFormat, 'CycloneDX');
  const named = new Set(bill.components.map(component => component['bom-ref']));
  for (const [path, entry] of locked) {
    if (entry.dev !== true && !named.has(`${getName(path, entry)}@${entry.version}`))
      t.fail(`${path} is missing`);
  }
  t.ok(named.size > 100, `${named.size} packages`);
  for (const { 'bom-ref': id, purl, hashes, licenses } of bill.components) {
    const [first] = licenses ?? [];
    const licence = first?.license?.id ?? first?.expression ?? stated[id] ?? '';
    if (!permissive.test(licence)) t.fail(`${id}: licence '${licence}'`);
    if (hashes?.some(({ alg }) => alg === 'SHA-512') !== true) t.fail(`${id} has no hash`);
    if (!purl.startsWith('pkg:npm/')) t.fail(`${id} does not come from the registry`);
  }
});

/** A registry that knows one vulnerability of that severity; null: it has no audits. */
async function startRegistry(t: Test, severity: string | null): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method !== 'POST') return response.writeHead(404).end('{}');
      if (severity === null) return response.writeHead(405).end('{}');
      const advisory = {
        id: 1,
        url: 'https://example.com/1',
        title: 'A hole',
        severity,
        vulnerable_versions: '*',
      };
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ jose: [advisory] }));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

t.test('a known vulnerability fails the audit when it is severe', async t => {
  const audit = async (severity: string | null): Promise<[number, string]> => {
    const cache = t.testdir();
    return run('audit', { npm_config_registry: await startRegistry(t, severity), npm_config_cache: cache });
  };
  for (const severity of ['high', 'critical']) {
    const [code, text] = await audit(severity);
    t.equal(code, 1);
    t.match(text, new RegExp(`${severity}: jose`));
  }
  const [low, text] = await audit('low');
  t.equal(low, 0);
  t.match(text, /low: jose/);
  const [none, reason] = await audit(null);
  t.equal(none, 2, 'a release fails on it');
  t.match(reason, /not audited: .*405/);
});
