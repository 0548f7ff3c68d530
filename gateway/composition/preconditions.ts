/** What has to be so before a node opens or changes anything: each refusal is one line that names the variable to change. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/index.ts';

/** Something outside of the node has to be mended first: the message says what, and which variable names it. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

/** Rejects with {@link StartRefused} where nobody could listen, or where a folder that the node needs cannot be written. */
export async function checkPreconditions(config: Config): Promise<void> {
  await requireFreePort('PORT', config.host, config.port);
  if (config.grpcPort !== undefined) await requireFreePort('GRPC_PORT', config.host, config.grpcPort);
  const { databaseUrl, secretKeys, tokenKeys, smtpUrl, media } = config;
  // What is not kept elsewhere is kept in DATA_DIR.
  const isKeptElsewhere = [databaseUrl, secretKeys, tokenKeys, smtpUrl, media].every(
    given => given !== undefined,
  );
  if (!isKeptElsewhere) await requireWritable('DATA_DIR', resolve(config.dataDir));
  if (media?.kind === 'folder') await requireWritable('MEDIA_URL', media.folder);
}

/** `port` 0: any free one, which there always is. */
async function requireFreePort(variable: string, host: string, port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    await once(probe.listen({ host, port, exclusive: true }), 'listening');
  } catch (cause) {
    const reason = `cannot listen on ${host}:${port}: the port is taken or the address is not ours`;
    throw new StartRefused(`${variable}: ${reason}`, { cause });
  }
  probe.close();
  await once(probe, 'close');
}

/** Makes the folder where it is missing, and writes into it: modes alone do not tell. */
async function requireWritable(variable: string, folder: string): Promise<void> {
  const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`);
  try {
    await makeFolder(folder);
    await writeFile(probe, '', { flag: 'wx' });
    await rm(probe);
  } catch (cause) {
    const { code = 'failed' } = cause as NodeJS.ErrnoException;
    throw new StartRefused(`${variable}: cannot write to ${folder} (${code})`, { cause });
  }
}

/** The `recursive` of Node's own `mkdir` never ends where the parent is there and still gives ENOENT, as under /proc (Node 22). */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder).catch((again: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (again.code !== 'EEXIST') throw again;
    });
  }
}
