/** `deploy/compose.yaml` as Compose reads it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export interface Service {
  readonly image: string;
  readonly restart: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
}

const folder = fileURLToPath(new URL('../../../deploy/', import.meta.url));

export const getPath = (path: string): string => `${folder}${path}`;
export const readDeployed = (path: string): string => readFileSync(getPath(path), 'utf8');

export const composeText = readDeployed('compose.yaml');
export const compose = parse(composeText, { merge: true }) as Compose;
export const services = Object.entries(compose.services);

/** The ports at which the others reach it. */
export function getPorts({ expose = [], ports = [] }: Service): readonly string[] {
  return [...expose, ...ports.map(port => port.split(':').at(-1) ?? '')];
}

/** The services that it waits for, and until what is true of them. */
export function getDependencies({ depends_on: needed = {} }: Service): ReadonlyMap<string, string> {
  const entries: readonly (readonly [string, string])[] = isList(needed)
    ? needed.map(name => [name, 'service_started'])
    : Object.entries(needed).map(([name, { condition }]) => [name, condition]);
  return new Map(entries);
}

function isList(needed: NonNullable<Service['depends_on']>): needed is readonly string[] {
  return Array.isArray(needed);
}

/** Fills in `${NAME:?}` and `${NAME:-default}`. Throws where a variable is wanted and not given. */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*)|:\?)\}/g, (_, name: string, fallback?: string) => {
    const value = variables[name] ?? fallback;
    if (value === undefined) throw new Error(`${name} is not given`);
    return value;
  });
}
