/** `deploy/compose.yaml`: what it says fits together and fits the nodes, and its environment starts a cluster of three. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { variables } from '../../gateway/config/variables.ts';
import { startTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { pickPort } from '../support/free-port.ts';
import { NatsServer } from '../support/nats-server.ts';
import { NodeProcess } from '../support/node-process.ts';

interface Service {
  readonly image: string;
  readonly restart: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly command?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const read = (path: string): string => readFileSync(`${folder}${path}`, 'utf8');
const text = read('compose.yaml');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};
const services = Object.entries(compose.services);
const nodes = services.filter(([name]) => name.startsWith('node-'));
const lasting = services.filter(([, { restart }]) => restart !== 'no');

t.test('images are pinned, and what runs on is restarted and asked for its health', async t => {
  for (const [name, { image }] of services)
    t.match(image, /:(v?\d+\.\d+\.?\d*|RELEASE\.[\w-]+)(-\w+)?$/, name);
  for (const [name, { restart, healthcheck }] of lasting) {
    t.equal(restart, 'unless-stopped', name);
    t.ok(healthcheck !== undefined && healthcheck.test.length > 1, name);
  }
});

t.test('what has to last is in a volume, and every file that is mounted is there', async t => {
  const durable = {
    postgres: '/var/lib/postgresql/data',
    minio: '/data',
    prometheus: '/prometheus',
    grafana: '/var/lib/grafana',
    proxy: '/data',
  };
  for (const [name, path] of Object.entries(durable)) {
    t.ok(compose.services[name]?.volumes?.includes(`${name}:${path}`), name);
  }
  for (const n of [1, 2, 3]) {
    const nats = compose.services[`nats-${n}`];
    t.same(nats?.volumes, [`nats-${n}:/data`]);
    t.ok(nats?.command?.includes('--store_dir=/data'));
  }
  const mounts = services.flatMap(([, { volumes = [] }]) =>
    volumes.map(volume => volume.split(':')[0] ?? ''),
  );
  for (const source of mounts) {
    if (source.startsWith('./')) t.ok(existsSync(`${folder}${source}`), source);
    else t.ok(source in compose.volumes, source);
  }
  t.same(
    Object.keys(compose.volumes).filter(volume => !mounts.includes(volume)),
    [],
    'no volume is left over',
  );
});

t.test(
  'every variable of a node is one that nodes know, and the same on all of them but for the name',
  async t => {
    t.equal(nodes.length, 3);
    const [first] = nodes;
    for (const [name, { environment = {} }] of nodes) {
      t.same(
        Object.keys(environment).filter(each => !(each in variables) && !each.startsWith('AWS_')),
        [],
        name,
      );
      t.same({ ...environment, NODE_ID: '' }, { ...first?.[1].environment, NODE_ID: '' }, name);
      t.equal(environment['NODE_ID'], name);
    }
  },
);

t.test('every address names a service of the file, at a port that it listens on', async t => {
  const listening = (name: string): string[] => {
    const { expose = [], ports = [] } = compose.services[name] ?? {};
    return [...expose, ...ports.map(port => port.split(':').at(-1) ?? '')];
  };
  const files = ['Caddyfile', 'prometheus.yaml', 'grafana-datasource.yaml'].map(file =>
    read(`compose/${file}`),
  );
  const named = [text, ...files]
    .join('\n')
    .matchAll(/\b(node-\d|nats-\d|postgres|minio|mail|prometheus):(\d{4,5})\b/g);
  const addresses = new Set([...named].map(([address]) => address));
  t.ok(addresses.size >= 12, [...addresses].join(' '));
  for (const address of addresses) {
    const [name = '', port = ''] = address.split(':');
    t.ok(listening(name).includes(port), address);
  }
  for (const [name, { depends_on: needed = [] }] of services) {
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
      t.ok(other in compose.services, `${name}: ${other}`);
  }
});

t.test('its environment starts three nodes that find each other', async t => {
  const key = (): string => `k1:${randomBytes(32).toString('base64')}`;
  const secret = (): string => randomBytes(24).toString('hex');
  const given: Readonly<Record<string, string>> = {
    POSTGRES_PASSWORD: secret(),
    NATS_PASSWORD: secret(),
    S3_PASSWORD: secret(),
    METRICS_TOKEN: secret(),
    OPS_TOKEN: secret(),
    SECRET_KEYS: key(),
    TOKEN_KEYS: key(),
  };
  const [nats, { url }] = await Promise.all([
    NatsServer.of(t, { user: 'skein', password: given['NATS_PASSWORD'] ?? '' }),
    startTestDatabase(t),
  ]);
  const database = new URL(url);
  const servers: Readonly<Record<string, string>> = {
    [`skein:${given['POSTGRES_PASSWORD']}@postgres:5432/skein`]: `${database.username}:${database.password}@${database.host}${database.pathname}`,
    ...Object.fromEntries([1, 2, 3].map(n => [`@nats-${n}:4222`, `@127.0.0.1:${nats.port}`])),
  };
  /** As Compose fills it in, but for where this test has the servers. */
  const fill = (value: string): string => {
    let filled = value.replace(
      /\$\{(\w+)(?::-([^}]*)|:\?)\}/g,
      (_, name: string, fallback?: string) => given[name] ?? fallback ?? '',
    );
    for (const [from, to] of Object.entries(servers)) filled = filled.replaceAll(from, to);
    return filled;
  };
  const started = await Promise.all(
    nodes.map(async ([, { environment = {} }]) => {
      const filled = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, fill(value)]),
      );
      const node = await NodeProcess.make(t, {
        ...filled,
        HOST: '127.0.0.1',
        PORT: String(await pickPort()),
      });
      await node.start();
      return node;
    }),
  );
  const headers = { authorization: `Bearer ${given['METRICS_TOKEN'] ?? ''}` };
  for (const node of started) {
    await eventually('cluster of three', async () => {
      const metrics = await (await fetch(`${node.url}/metrics`, { headers })).text();
      return metrics.includes('\nskein_cluster_members 3\n');
    });
    t.equal((await fetch(`${node.url}/readyz`)).status, 200, node.id);
  }
});
