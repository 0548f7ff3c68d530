/**
 * `deploy/compose.yaml`: what it says fits together and fits the nodes, and its services work together as processes of this machine
 * (support/compose-processes.ts says which are the very programs and what stands for the others).
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { variables } from '../../gateway/config/variables.ts';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/index.ts';
import { registerStream } from '../../runtime/cluster/nats-bucket.ts';
import { probeNats } from '../../runtime/nats/probe.ts';
import { getClusterStatus } from '../cluster/support/cluster.ts';
import { Client, Line } from '../node/client.ts';
import { signUp, type Tenant } from '../node/tenant.ts';
import { eventually } from '../support/eventually.ts';
import { findLink, findToken } from '../support/mailbox.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { timeLimitMs } from '../support/time-limit.ts';
import {
  compose,
  composeText,
  getDependencies,
  getPath,
  getPorts,
  readDeployed,
  services,
} from './support/compose.ts';
import { ComposeProcesses } from './support/compose-processes.ts';

/** As Prometheus tells of it. */
interface RuleGroup {
  readonly rules: readonly { readonly name: string; readonly type: 'alerting' | 'recording' }[];
}

const nodes = services.filter(([name]) => name.startsWith('node-'));
const lasting = services.filter(([, { restart }]) => restart !== 'no');

t.test(
  'images are pinned; what runs on is restarted and asked for its health, and what ends is waited for',
  async t => {
    for (const [name, { image }] of services)
      t.match(image, /:(v?\d+\.\d+\.?\d*|RELEASE\.[\w-]+)(-\w+)?$/, name);
    for (const [name, { restart, healthcheck }] of lasting) {
      t.equal(restart, 'unless-stopped', name);
      t.ok(healthcheck !== undefined && healthcheck.test.length > 1, name);
    }
    // `docker compose up --wait` fails at what ends by itself, unless another service waits for its end.
    const awaited = services.flatMap(([, service]) => [...getDependencies(service)]);
    for (const [name, { restart }] of services) {
      const conditions = awaited.filter(([other]) => other === name).map(([, condition]) => condition);
      t.equal(conditions.includes('service_completed_successfully'), restart === 'no', `${name} ends`);
    }
  },
);

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
    if (source.startsWith('./')) t.ok(existsSync(getPath(source)), source);
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
  const files = ['Caddyfile', 'prometheus.yaml', 'grafana-datasource.yaml'].map(file =>
    readDeployed(`compose/${file}`),
  );
  const named = [composeText, ...files]
    .join('\n')
    .matchAll(/\b(node-\d|nats-\d|postgres|minio|mail|prometheus):(\d{4,5})\b/g);
  const addresses = new Set([...named].map(([address]) => address));
  t.ok(addresses.size >= 12, [...addresses].join(' '));
  for (const address of addresses) {
    const [name = '', port = ''] = address.split(':');
    const service = compose.services[name];
    t.ok(service !== undefined && getPorts(service).includes(port), address);
  }
  for (const [name, service] of services) {
    for (const other of getDependencies(service).keys()) t.ok(other in compose.services, `${name}: ${other}`);
  }
});

t.test('its services work together as processes', async t => {
  const key = (): string => `k1:${randomBytes(32).toString('base64')}`;
  const secret = (): string => randomBytes(24).toString('hex');
  const given = {
    POSTGRES_PASSWORD: secret(),
    NATS_PASSWORD: secret(),
    S3_PASSWORD: secret(),
    METRICS_TOKEN: secret(),
    OPS_TOKEN: secret(),
    GRAFANA_PASSWORD: secret(),
    SECRET_KEYS: key(),
    TOKEN_KEYS: key(),
  };
  const processes = await ComposeProcesses.start(t, given);
  const { local } = processes;
  const [first, second] = processes.nodes as [NodeProcess, NodeProcess];
  const environment = local.getEnvironment('node-1');
  t.same(processes.notRun, ['grafana'], 'what is not tried');

  await t.test('its environment starts three nodes that find each other', async t => {
    const headers = { authorization: `Bearer ${given.METRICS_TOKEN}` };
    for (const node of processes.nodes) {
      await eventually('cluster of three', async () => {
        const metrics = await (await fetch(`${node.url}/metrics`, { headers })).text();
        return metrics.includes('\nskein_cluster_members 3\n');
      });
      t.equal((await fetch(`${node.url}/readyz`)).status, 200, node.id);
    }
    const { nodes: members } = await getClusterStatus(first, given.OPS_TOKEN);
    t.same(members.map(({ id }) => id).sort(), ['node-1', 'node-2', 'node-3'], 'as operators ask');
  });

  await t.test('the three servers of NATS keep the register, and PostgreSQL has its settings', async t => {
    const urls = environment['NATS_URL']?.split(',') ?? [];
    t.equal(new Set(urls.map(url => new URL(url).port)).size, 3);
    for (const url of urls) {
      const report = await probeNats([url], registerStream('skein'), timeLimitMs);
      t.match(report, { isClustered: true, hasJetStream: true, replicas: 3 });
    }
    const client = new pg.Client({ connectionString: environment['DATABASE_URL'] });
    await client.connect();
    const { rows } = await client.query<{ count: string; compression: string }>(
      "select current_setting('max_connections') as count, current_setting('wal_compression') as compression",
    );
    await client.end();
    t.match(rows, [{ count: '200', compression: /^(?:on|pglz)$/ }]);
  });

  const line = await connectToProxy(t, processes);
  let tenant: Tenant;

  await t.test('who signs up through the proxy gets a mail, whose link leads back', async t => {
    tenant = await signUp(line);
    const isTheirs = (mail: string): boolean => mail.includes(`To: ${tenant.email}`);
    await eventually('mail', async () => processes.mails.some(isTheirs));
    const mail = processes.mails.find(isTheirs)?.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    t.match(findLink(mail, 'verify'), 'https://localhost/studio/verify#token=');
    await new Client(line).get('verifyEmail', { body: { token: findToken(mail, 'verify') } });
    for (const path of ['/metrics', '/_internal/cluster']) {
      const { statusCode, body } = await request(`${line.url}${path}`, { dispatcher: line.agent });
      await body.dump();
      t.equal(statusCode, 404, `${path} is for operators`);
    }
  });

  await t.test('a file that one node has put into the bucket is read through another', async t => {
    const file = randomBytes(300_000);
    const { attachmentId, uploadUrl } = await tenant.key.get<AttachmentUpload>('createAttachment', {
      body: {
        projectId: tenant.projectId,
        filename: 'photo.jpg',
        mimeType: 'image/jpeg',
        sizeBytes: file.length,
      },
    });
    const at = (node: NodeProcess, url: string): string => url.replace('https://localhost', node.url);
    t.equal((await fetch(at(first, uploadUrl), { method: 'PUT', body: file })).status, 204);
    const link = await tenant.key.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
    const downloaded = await (await fetch(at(second, link.url))).arrayBuffer();
    t.ok(file.equals(new Uint8Array(downloaded)));
  });

  await t.test('Prometheus reads every node with the token, and has the alerts', async t => {
    const url = `http://127.0.0.1:${local.getPort('prometheus', 9090)}/api/v1`;
    const ask = async <T>(path: string): Promise<T | undefined> => {
      const answer = await fetch(`${url}/${path}`);
      const text = await answer.text();
      // It is healthy a moment before it answers questions.
      return answer.ok ? (JSON.parse(text) as { readonly data: T }).data : undefined;
    };
    const up = `query?query=${encodeURIComponent('up{job="skein"} == 1')}`;
    await eventually('answer of three nodes to Prometheus', async () => {
      const found = await ask<{ readonly result: readonly unknown[] }>(up);
      return found?.result.length === 3;
    });
    const { groups = [] } = (await ask<{ readonly groups: readonly RuleGroup[] }>('rules')) ?? {};
    t.same(
      groups.flatMap(({ rules }) => rules.filter(({ type }) => type === 'alerting').map(({ name }) => name)),
      [...readDeployed('prometheus/rules.yaml').matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name),
    );
  });
});

/** Trusts the authority that the proxy has made for itself, and resolves when a node answers. */
async function connectToProxy(t: Test, { local }: ComposeProcesses): Promise<Line> {
  const url = `https://localhost:${local.getPort('proxy', 443)}`;
  const path = local.toPath('proxy', '/data/caddy/pki/authorities/local/root.crt');
  let authority = '';
  await eventually('authority of the proxy', async () => {
    authority = await readFile(path, 'utf8').catch(() => '');
    return authority.includes('END CERTIFICATE');
  });
  const line = new Line(url, t, authority);
  await eventually('answer through the proxy', () =>
    request(`${url}/healthz`, { dispatcher: line.agent }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode === 200;
      },
      () => false,
    ),
  );
  return line;
}
