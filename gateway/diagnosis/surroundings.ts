/** What a node uses beside its database: disk, files, NATS, mail, certificates, and the address by which others reach it. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, readFile, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { connect } from 'node:tls';
import { createTransport } from 'nodemailer';
import { request } from 'undici';
import { newId } from '../../protocol/ids.ts';
import { registerStream } from '../../runtime/cluster/index.ts';
import { probeNats } from '../../runtime/nats/index.ts';
import { Media } from '../../storage/media/index.ts';
import type { Config } from '../config/index.ts';
import { explain, failed, type Finding, note, ok } from './finding.ts';

const timeoutMs = 5_000;
const leastFreeBytes = 2_000_000_000;
/** A certificate that ends within that many days is told. */
const warnDays = 21;

export async function examineDisk({ dataDir, databaseUrl, media }: Config): Promise<Finding> {
  const check = 'disk';
  if (databaseUrl !== undefined && media?.kind === 's3')
    return ok(check, 'DATA_DIR keeps nothing that grows');
  // Attachments of a node with a database of yours are all that grows here.
  const attachments = databaseUrl !== undefined && media?.kind === 'folder' ? media.folder : undefined;
  const name = attachments === undefined ? 'DATA_DIR' : 'MEDIA_URL';
  const folder = resolve(attachments ?? dataDir);
  try {
    const { bavail, bsize } = await statfs(await findExisting(folder));
    const detail = `${((bavail * bsize) / 1e9).toFixed(1)} GB are free for ${folder}`;
    return bavail * bsize < leastFreeBytes ? failed(check, `${detail}: too little`) : ok(check, detail);
  } catch (error) {
    return failed(check, `${name}: ${explain(error)}`);
  }
}

/** The folder, or the nearest one above it that is there: the first start makes the rest. */
async function findExisting(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : findExisting(dirname(folder));
}

/** A folder has to be writable. In a bucket a small object is written, and removed: its permissions tell nothing beforehand. */
export async function examineMedia({ dataDir, media }: Config): Promise<Finding> {
  const check = 'files';
  const location = media ?? { kind: 'folder' as const, folder: join(dataDir, 'media') };
  const what = location.kind === 's3' ? `the bucket ${location.bucket}` : resolve(location.folder);
  try {
    if (location.kind === 's3') await tryBucket(new Media(location));
    else await access(await findExisting(what), constants.W_OK);
    return ok(check, `${what} takes files`);
  } catch (error) {
    return failed(check, `MEDIA_URL: ${what} takes no files: ${explain(error)}`);
  }
}

async function tryBucket(store: Media): Promise<void> {
  const key = `doctor/${newId('request')}`;
  await store.put({ key, size: 1, mimeType: 'text/plain' }, Readable.from([Buffer.from('x')]));
  await store.remove(key);
}

export async function examineNats({
  natsUrls,
  cluster,
}: Pick<Config, 'natsUrls' | 'cluster'>): Promise<Finding> {
  const check = 'nats';
  if (natsUrls === undefined) return ok(check, 'not used: NATS_URL is not set, this node is alone');
  try {
    const stream = registerStream(cluster);
    const { version, hasJetStream, isClustered, replicas } = await probeNats(natsUrls, stream, timeoutMs);
    if (!hasJetStream) return failed(check, `NATS ${version} answers, and has no JetStream for this account`);
    const detail = `NATS ${version} with JetStream, cluster ${cluster}`;
    if (!isClustered) return ok(check, detail);
    if (replicas === undefined) return ok(check, `${detail}, whose register the first node makes`);
    return replicas >= 3
      ? ok(check, `${detail}, whose register ${replicas} servers keep`)
      : note(
          check,
          `${detail}: too few servers (${replicas}) keep the register; with three: nats stream edit ${stream} --replicas 3`,
        );
  } catch (error) {
    return failed(
      check,
      `NATS_URL: ${error instanceof DOMException ? 'no server can be reached' : explain(error)}`,
    );
  }
}

/** Signs in at the server, and sends nothing. */
export async function examineMail({ smtpUrl, dataDir }: Config): Promise<Finding> {
  const check = 'mail';
  if (smtpUrl === undefined)
    return note(check, `SMTP_URL is not set: mails are files in ${join(dataDir, 'mail')}`);
  const smtp = createTransport({ url: smtpUrl, connectionTimeout: timeoutMs, greetingTimeout: timeoutMs });
  try {
    await smtp.verify();
    return ok(check, `${new URL(smtpUrl).host} accepts this sender`);
  } catch (error) {
    return failed(check, `SMTP_URL: ${explain(error)}`);
  } finally {
    smtp.close();
  }
}

export async function examineCertificate({ grpcTls, grpcPort }: Config): Promise<Finding> {
  const check = 'certificate';
  if (grpcPort === undefined || grpcTls === undefined) {
    return ok(check, 'not used: gRPC has no certificate of its own');
  }
  try {
    const certificate = new X509Certificate(await readFile(grpcTls.cert));
    const key = createPrivateKey(await readFile(grpcTls.key));
    if (!certificate.checkPrivateKey(key)) {
      return failed(check, 'GRPC_TLS_KEY is not the key of the certificate in GRPC_TLS_CERT');
    }
    return judgeEnd('that of gRPC', certificate.validTo, Date.now());
  } catch (error) {
    return failed(check, `GRPC_TLS_CERT, GRPC_TLS_KEY: ${explain(error)}`);
  }
}

/** The certificate of the public address, which a proxy has mostly. Undefined: there is none, or nobody answers, which `address` tells. */
export async function examineWebCertificate(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  now = Date.now(),
): Promise<Finding | undefined> {
  if (baseUrl === undefined || !baseUrl.startsWith('https:')) return undefined;
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({
    host: hostname,
    port: port === '' ? 443 : Number(port),
    // RFC 6066 knows no addresses there.
    ...(isIP(hostname) === 0 && { servername: hostname }),
    // Whoever signed it: here it is asked when it ends.
    rejectUnauthorized: false,
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    return judgeEnd(`that of ${baseUrl}`, socket.getPeerCertificate().valid_to, now);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

function judgeEnd(what: string, validTo: string, now: number): Finding {
  const check = 'certificate';
  const days = Math.floor((Date.parse(validTo) - now) / 86_400_000);
  const detail = `${what} is valid until ${validTo}`;
  if (days < 0) return failed(check, `${detail}: it has ended`);
  return days < warnDays ? note(check, `${detail}: renew it`) : ok(check, detail);
}

/** Whether a node answers at the address that mails and documents name. */
export async function examineAddress({ baseUrl, host, port }: Config): Promise<Finding> {
  const check = 'address';
  const url = baseUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  try {
    const { statusCode, body } = await request(`${url}/readyz`, {
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    await body.dump();
    return statusCode === 200
      ? ok(check, `a node serves at ${url}`)
      : note(check, `${url} answers ${statusCode}: the node there is not ready`);
  } catch (error) {
    return note(
      check,
      `no node answers at ${url} (${explain(error)}): it is not started, or not reachable from here`,
    );
  }
}
