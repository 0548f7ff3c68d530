/**
 * Starts the services of `deploy/compose.yaml` as processes of this machine: in its order, and with its commands, environments, files and
 * health checks, as local-services.ts has them.
 *
 * Nodes, nats-server, Caddy and Prometheus are these programs, the last three in Debian's versions. PostgreSQL is the embedded one.
 * s3rver stands for MinIO, the AWS SDK for its client `mc`, and a server of the tests for Mailpit. Grafana is in neither Debian nor npm.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import type { Test } from 'tap';
import { startTestServer } from '../../support/database.ts';
import { findDebianProgram } from '../../support/debian-program.ts';
import { eventually } from '../../support/eventually.ts';
import { pickPort } from '../../support/free-port.ts';
import { natsServerProgram } from '../../support/nats-server.ts';
import { dataFolder, NodeProcess } from '../../support/node-process.ts';
import { serveS3 } from '../../support/s3.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { getDependencies, services } from './compose.ts';
import { LocalServices, loopback } from './local-services.ts';

/** How often Prometheus asks the nodes. The file's own interval would be most of the time that the test takes. */
const scrapeInterval = '2s';

export class ComposeProcesses {
  readonly local: LocalServices;
  readonly nodes: NodeProcess[] = [];
  /** Services that nothing here runs. */
  readonly notRun: string[] = [];
  /** What the mail server was given (smtp-server.ts). */
  mails: readonly string[] = [];
  readonly #t: Test;
  readonly #started = new Map<string, Promise<void>>();

  private constructor(t: Test, local: LocalServices) {
    this.#t = t;
    this.local = local;
  }

  /** @param variables of `.env`. Resolves when all are healthy; they end with the test. */
  static async start(t: Test, variables: Readonly<Record<string, string>>): Promise<ComposeProcesses> {
    const processes = new ComposeProcesses(t, await LocalServices.make(await dataFolder(t), variables));
    await Promise.all(services.map(([name]) => processes.#start(name)));
    return processes;
  }

  /** Each once, after those that it waits for. */
  #start(name: string): Promise<void> {
    const known = this.#started.get(name);
    if (known !== undefined) return known;
    const start = async (): Promise<void> => {
      const needed = [...getDependencies(this.local.get(name)).keys()];
      await Promise.all(needed.map(other => this.#start(other)));
      await this.#run(name);
    };
    const started = start();
    this.#started.set(name, started);
    return started;
  }

  async #run(name: string): Promise<void> {
    const { image, entrypoint } = this.local.get(name);
    const run = this.#programs[entrypoint?.[0] ?? image.split(':')[0] ?? ''];
    if (run === undefined) {
      this.notRun.push(name);
      return;
    }
    await this.local.mount(name);
    await run(name);
  }

  /** By image, or by the program that is run in it. */
  readonly #programs: Readonly<Record<string, (name: string) => Promise<void>>> = {
    skein: name => this.#runNode(name),
    nats: name => this.#runNats(name),
    caddy: name => this.#runCaddy(name),
    'prom/prometheus': name => this.#runPrometheus(name),
    postgres: name => this.#runPostgres(name),
    'minio/minio': name => this.#runS3(name),
    mc: name => this.#makeBucket(name),
    'axllent/mailpit': name => this.#runMail(name),
  };

  async #runNode(name: string): Promise<void> {
    const node = await NodeProcess.make(this.#t, {
      ...this.local.getEnvironment(name),
      HOST: loopback,
      PORT: String(this.local.getPort(name, 8080)),
    });
    this.nodes.push(node);
    await node.start();
    await eventually(`health of ${name}`, () => this.local.isHealthy(name));
  }

  async #runNats(name: string): Promise<void> {
    const client = [`--addr=${loopback}`, `--port=${this.local.getPort(name, 4222)}`];
    await this.#serve(name, await natsServerProgram(), client);
  }

  /** With ports that need no root. The authority that it makes for itself stays in the volume: the system does not learn of it. */
  async #runCaddy(name: string): Promise<void> {
    const { local } = this;
    const file = local.toPath(name, '/etc/caddy/Caddyfile');
    const options = [
      `admin ${loopback}:${local.getPort(name, 2019)}`,
      `http_port ${await pickPort()}`,
      `https_port ${local.getPort(name, 443)}`,
      'skip_install_trust',
    ];
    await writeFile(`${file}.local`, `{\n\t${options.join('\n\t')}\n}\nimport ${file}\n`);
    const program = await findDebianProgram({
      name: 'caddy',
      variable: 'CADDY',
      advice:
        'caddy was not found: set CADDY to its path, or install it (Debian and Ubuntu: apt-get install caddy)',
    });
    await this.#serve(name, program, ['run', '--config', `${file}.local`, '--adapter', 'caddyfile'], {
      HOME: local.toPath(name, '/'),
      // As in its image.
      XDG_DATA_HOME: local.toPath(name, '/data'),
    });
  }

  async #runPrometheus(name: string): Promise<void> {
    const file = this.local.toPath(name, '/etc/prometheus/prometheus.yml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/(?<=^ +scrape_interval: ).*/m, scrapeInterval));
    const program = await findDebianProgram({
      name: 'prometheus',
      variable: 'PROMETHEUS',
      advice:
        'prometheus was not found: set PROMETHEUS to its path, or install it (Debian and Ubuntu: apt-get install prometheus)',
    });
    const port = this.local.getPort(name, 9090);
    await this.#serve(name, program, [`--web.listen-address=${loopback}:${port}`]);
  }

  /** The embedded server has a superuser and a database of the same names as the file, and gets its password and settings. */
  async #runPostgres(name: string): Promise<void> {
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = this.local.getEnvironment(name);
    const settings = this.local.getCommand(name).flatMap(each => {
      const [, setting, value] = /^(\w+)=(.*)$/.exec(each) ?? [];
      return setting === undefined || value === undefined ? [] : [[setting, value] as const];
    });
    const { superuserUrl } = await startTestServer(this.#t, { settings: Object.fromEntries(settings) });
    const client = new pg.Client({ connectionString: superuserUrl });
    await client.connect();
    await client.query(`alter role ${user} password '${password}'`);
    await client.end();
    this.local.setPort(name, 5432, Number(new URL(superuserUrl).port));
  }

  async #runS3(name: string): Promise<void> {
    const { MINIO_ROOT_USER = '', MINIO_ROOT_PASSWORD = '' } = this.local.getEnvironment(name);
    const server = await serveS3(this.local.getCommand(name).at(-1) ?? '', {
      accessKeyId: MINIO_ROOT_USER,
      secretAccessKey: MINIO_ROOT_PASSWORD,
    });
    this.#t.teardown(() => server.stop());
    this.local.setPort(name, 9000, Number(new URL(server.url).port));
  }

  /** What `mc mb ALIAS/BUCKET` does, at the server and with the credentials of MC_HOST_ALIAS. */
  async #makeBucket(name: string): Promise<void> {
    const [alias, bucket] = this.local.get(name).entrypoint?.at(-1)?.split('/') ?? [];
    const host = new URL(this.local.getEnvironment(name)[`MC_HOST_${alias}`] ?? '');
    const client = new S3Client({
      endpoint: `${host.protocol}//${host.host}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: host.username, secretAccessKey: host.password },
    });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
  }

  async #runMail(name: string): Promise<void> {
    const { received, server } = await startSmtpServer({ port: this.local.getPort(name, 1025) });
    this.mails = received;
    this.#t.teardown(() => void server.close());
  }

  /** Starts the program with the service's command and environment, and with what it needs beside these here. */
  #serve(
    name: string,
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    return startServerProcess(this.#t, {
      name,
      program,
      args: [...this.local.getCommand(name), ...args],
      environment: { ...this.local.getEnvironment(name), ...environment },
      isReady: () => this.local.isHealthy(name),
    });
  }
}
