/**
 * The proxies of `deploy/`, as they are but for addresses and certificates, before two nodes of a cluster: messages, a Console's stream, an
 * upload and gRPC go through, with nginx a node is drained without a failed request, and what is for operators alone is not served.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as requestByTls } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '@grpc/grpc-js';
import t, { type Test } from 'tap';
import { ConsoleStream } from '../../bench/demo/console-stream.ts';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/index.ts';
import { metricsToken, TestCluster } from '../cluster/support/cluster.ts';
import { answer, bearer, connect, inbound } from '../gateway/grpc/grpc-fixture.ts';
import { Line } from '../node/client.ts';
import { Senders } from '../node/senders.ts';
import { signUp } from '../node/tenant.ts';
import { authority, receiverTest } from '../support/certificates.ts';
import { findDebianProgram } from '../support/debian-program.ts';
import { pickPort } from '../support/free-port.ts';
import { dataFolder, type NodeProcess } from '../support/node-process.ts';
import { startServerProcess } from '../support/server-process.ts';

/** Of a proxy: what outsiders connect to. */
interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly grpc: number;
}

interface Upstreams {
  readonly rest: readonly number[];
  readonly grpc: readonly number[];
}

interface ProxyKind {
  readonly name: 'nginx' | 'caddy';
  readonly file: string;
  /** The file with the addresses of the test. Throws where one of them is not in it. */
  adapt(text: string, folder: string, ports: Ports, upstreams: Upstreams): string;
  args(folder: string): readonly string[];
  /** Whether no request fails while a node drains: Caddy 2.6 does not send the body of a request to a second node. */
  readonly coversDrains: boolean;
  /** Goes around the adapted file. */
  wrap(folder: string): string;
}

function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the file has no ${from}`);
  return text.replaceAll(from, to);
}

const [first, second] = ['10.0.0.11', '10.0.0.12'];
const local = '127.0.0.1';

function replaceUpstreams(text: string, { rest, grpc }: Upstreams): string {
  const pairs = [
    [`${first}:8080`, `${local}:${rest[0]}`],
    [`${second}:8080`, `${local}:${rest[1]}`],
    [`${first}:9090`, `${local}:${grpc[0]}`],
    [`${second}:9090`, `${local}:${grpc[1]}`],
  ] as const;
  return pairs.reduce((done, [from, to]) => replace(done, from, to), text);
}

const nginx: ProxyKind = {
  name: 'nginx',
  file: 'deploy/nginx/skein.conf',
  coversDrains: true,
  adapt(text, folder, ports, upstreams) {
    const listens = `listen ${local}:${ports.tls} ssl http2;\n    listen ${local}:${ports.plain}`;
    const withPorts = replace(
      replace(replaceUpstreams(text, upstreams), 'listen 443 ssl http2', listens),
      'listen 9443 ssl http2',
      `listen ${local}:${ports.grpc} ssl http2`,
    );
    return replace(replace(withPorts, '/etc/ssl/skein', folder), 'skein.example.com', '_');
  },
  args: folder => ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr'],
  wrap: folder => `
    daemon off;
    pid ${folder}/nginx.pid;
    worker_processes 1;
    events { worker_connections 1024; }
    http {
      access_log off;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
      include ${folder}/skein.conf;
    }`,
};

const caddy: ProxyKind = {
  name: 'caddy',
  file: 'deploy/caddy/Caddyfile',
  coversDrains: false,
  adapt(text, folder, ports, upstreams) {
    const tls = `{\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`;
    const [start, middle] = ['\nskein.example.com {', '\nskein-grpc.internal.example.com:9443 {'];
    const [rest, grpc] = replaceUpstreams(text, upstreams).split(middle);
    if (rest === undefined || grpc === undefined) throw new Error('the file has no site for gRPC');
    // One site cannot be served with and without TLS at ports of its own.
    const byTls = replace(rest, start, `\nhttps://receiver.test:${ports.tls} ${tls}`);
    const plain = replace(rest, start, `\nhttp://${local}:${ports.plain} {`);
    return `${byTls}\n${plain}\nhttps://receiver.test:${ports.grpc} ${tls}${grpc}`;
  },
  args: folder => ['run', '--config', join(folder, 'caddy.conf'), '--adapter', 'caddyfile'],
  wrap: folder => `{
	admin off
	auto_https off
	storage file_system ${folder}
}
import ${folder}/skein.conf
`,
};

async function startProxy(t: Test, kind: ProxyKind, upstreams: Upstreams): Promise<Ports> {
  const program = await findDebianProgram({
    name: kind.name,
    variable: kind.name.toUpperCase(),
    advice: `${kind.name} was not found: set ${kind.name.toUpperCase()} to its path, or install it`,
  });
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-`));
  await chmod(folder, 0o755);
  const ports = { plain: await pickPort(), tls: await pickPort(), grpc: await pickPort() };
  const text = await readFile(new URL(`../../${kind.file}`, import.meta.url), 'utf8');
  await writeFile(join(folder, 'skein.conf'), kind.adapt(text, folder, ports, upstreams));
  await writeFile(join(folder, `${kind.name}.conf`), kind.wrap(folder));
  await writeFile(join(folder, 'fullchain.pem'), receiverTest.cert);
  await writeFile(join(folder, 'privkey.pem'), receiverTest.key);
  await mkdir(join(folder, 'home'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await startServerProcess(t, {
    name: kind.name,
    program,
    args: kind.args(folder),
    environment: { HOME: join(folder, 'home') },
    isReady: () =>
      fetch(`http://${local}:${ports.plain}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
  });
  return ports;
}

/** The status of a request by TLS, to the name of the certificate. */
async function askByTls(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      host: local,
      port,
      path,
      ca: authority,
      servername: 'receiver.test',
      headers: { host: 'receiver.test' },
    };
    requestByTls(options, response => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

for (const kind of [nginx, caddy]) {
  t.test(`${kind.name} before two nodes`, async t => {
    const MEDIA_URL = `file://${await dataFolder(t)}`;
    const cluster = await TestCluster.start(t, {
      nodes: 2,
      grpc: true,
      environment: { TRUSTED_PROXIES: '1', INSECURE: 'true', METRICS_TOKEN: metricsToken, MEDIA_URL },
    });
    const [kept, drained] = cluster.running as [NodeProcess, NodeProcess];
    const getGrpcPort = (node: NodeProcess): number => Number(cluster.getGrpcAddress(node).split(':')[1]);
    const ports = await startProxy(t, kind, {
      rest: [kept.port, drained.port],
      grpc: [getGrpcPort(kept), getGrpcPort(drained)],
    });
    const url = `http://${local}:${ports.plain}`;
    const tenant = await signUp(new Line(url, t));

    t.equal(await askByTls(ports.tls, '/healthz'), 200, 'by TLS');
    for (const path of ['/metrics', '/_internal/cluster']) {
      t.equal((await fetch(`${url}${path}`)).status, 404, `${path} is for operators`);
    }

    const file = randomBytes(3_000_000);
    const { attachmentId, uploadUrl } = await tenant.key.get<AttachmentUpload>('createAttachment', {
      body: {
        projectId: tenant.projectId,
        filename: 'photo.jpg',
        mimeType: 'image/jpeg',
        sizeBytes: file.length,
      },
    });
    const through = (address: string): string => address.replace(/^http:\/\/[^/]+/, url);
    t.equal((await fetch(through(uploadUrl), { method: 'PUT', body: file })).status, 204, 'an upload');
    const link = await tenant.key.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
    const downloaded = await (await fetch(through(link.url))).arrayBuffer();
    t.ok(file.equals(new Uint8Array(downloaded)), 'a download');

    const client = connect(t, `${local}:${ports.grpc}`, credentials.createSsl(Buffer.from(authority)), {
      'grpc.ssl_target_name_override': 'receiver.test',
      'grpc.default_authority': 'receiver.test',
    });
    const reply = await answer(
      (metadata, options, done) => client.ingestMessage(inbound(tenant, 'by-grpc'), metadata, options, done),
      bearer(cluster.serviceToken),
    );
    t.ok(reply, 'gRPC');

    const stream = new ConsoleStream(url, tenant.projectId, tenant.person.bearer ?? '');
    await stream.open();
    t.teardown(() => stream.close());
    const senders = new Senders(tenant, 16);
    await senders.more(100);
    if (kind.coversDrains) {
      const exit = drained.stop();
      await senders.more(100);
      t.match(await exit, { code: 0 });
      await senders.more(100);
    }
    await senders.stop();
    t.equal(senders.unanswered + senders.refused, 0, 'every request was answered');
    t.comment(`${senders.unavailable} answers 503, which were repeated`);
    await stream.open();
    const last = senders.messages.at(-1)?.message.messageId;
    await stream.find(({ event }) => JSON.stringify(event.data).includes(String(last)));
    t.equal(stream.disordered, 0, 'the Console goes on where it was');
  });
}
