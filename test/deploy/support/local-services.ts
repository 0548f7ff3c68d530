/**
 * What the services of `deploy/compose.yaml` are given on this machine: as the file has it, but with free ports of the loopback interface
 * for addresses (`nats-1:4222`), and with a folder for the root of each container, in which what is mounted into it lies.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pickPort } from '../../support/free-port.ts';
import { compose, getPorts, interpolate, readDeployed, services, type Service } from './compose.ts';

export const loopback = '127.0.0.1';

/** `host:port`, where the host is a service or the service itself. */
const addresses = /\b(0\.0\.0\.0|127\.0\.0\.1|[a-z][a-z\d-]*):(\d{2,5})\b/g;
const paths = /(?<![\w./])\/[\w./-]+/g;

export class LocalServices {
  readonly #folder: string;
  readonly #variables: Readonly<Record<string, string>>;
  /** On this machine, by `service:port` of the file. */
  readonly #ports = new Map<string, number>();

  private constructor(folder: string, variables: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#variables = variables;
  }

  /** @param variables of `.env` */
  static async make(folder: string, variables: Readonly<Record<string, string>>): Promise<LocalServices> {
    const local = new LocalServices(folder, variables);
    for (const [name, service] of services) {
      const asked = local.#getHealthUrl(service)?.port;
      const all = new Set([...getPorts(service), ...(asked === undefined ? [] : [asked])]);
      for (const port of all) local.#ports.set(`${name}:${port}`, await pickPort());
    }
    return local;
  }

  get(name: string): Service {
    const service = compose.services[name];
    if (service === undefined) throw new Error(`the file has no service ${name}`);
    return service;
  }

  /** Where this machine has a port of the service. */
  getPort(name: string, port: number): number {
    const found = this.#ports.get(`${name}:${port}`);
    if (found === undefined) throw new Error(`${name} does not listen on ${port}`);
    return found;
  }

  /** For a server that has chosen its port, before anybody is told of it. */
  setPort(name: string, port: number, local: number): void {
    this.getPort(name, port);
    this.#ports.set(`${name}:${port}`, local);
  }

  /** Where this machine has a path of the service's container. */
  toPath(name: string, path: string): string {
    return join(this.#folder, name, path);
  }

  getCommand(name: string): readonly string[] {
    const { command = [] } = this.get(name);
    return command.map(each => this.#relocate(name, interpolate(each, this.#variables)));
  }

  getEnvironment(name: string): Readonly<Record<string, string>> {
    const filled = Object.entries(this.get(name).environment ?? {}).map(
      ([variable, value]) => [variable, this.#relocate(name, interpolate(value, this.#variables))] as const,
    );
    return Object.fromEntries(filled);
  }

  /** Makes folders for volumes, and writes the files and secrets. */
  async mount(name: string): Promise<void> {
    const { volumes = [], secrets = [] } = this.get(name);
    for (const [source = '', target = ''] of volumes.map(volume => volume.split(':'))) {
      if (source.startsWith('./'))
        await this.#write(name, target, this.#relocate(name, readDeployed(source)));
      else await mkdir(this.toPath(name, target), { recursive: true });
    }
    for (const secret of secrets) {
      const value = this.#variables[compose.secrets[secret]?.environment ?? ''];
      if (value === undefined) throw new Error(`the secret ${secret} is not given`);
      await this.#write(name, `/run/secrets/${secret}`, value);
    }
  }

  /** Asks what the file's health check asks. */
  async isHealthy(name: string): Promise<boolean> {
    const url = this.#getHealthUrl(this.get(name));
    if (url === undefined) throw new Error(`the health check of ${name} asks nothing by HTTP`);
    return fetch(this.#relocate(name, url.href)).then(
      async answer => {
        await answer.arrayBuffer();
        return answer.ok;
      },
      () => false,
    );
  }

  #getHealthUrl({ healthcheck }: Service): URL | undefined {
    const [url] = /http:\/\/127\.0\.0\.1:\d+[\w./-]*/.exec(healthcheck?.test.join(' ') ?? '') ?? [];
    return url === undefined ? undefined : new URL(url);
  }

  async #write(name: string, target: string, text: string): Promise<void> {
    const path = this.toPath(name, target);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  }

  /** With ports and folders of this machine, in what the service is given. */
  #relocate(name: string, text: string): string {
    const { volumes = [], secrets = [] } = this.get(name);
    const mounted = [
      ...volumes.map(volume => volume.split(':')[1]),
      ...secrets.map(secret => `/run/secrets/${secret}`),
    ];
    const toAddress = (whole: string, host: string, port: string): string => {
      const found = this.#ports.get(`${/^\d/.test(host) ? name : host}:${port}`);
      return found === undefined ? whole : `${loopback}:${found}`;
    };
    return text
      .replace(addresses, toAddress)
      .replace(/(?<=_port=)\d+/g, port => String(this.getPort(name, Number(port))))
      .replace(paths, path => (mounted.includes(path) ? this.toPath(name, path) : path));
  }
}
