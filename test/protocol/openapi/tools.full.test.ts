/** The document in the hands of the tools that integrators have: two linters, and a generator of clients. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import t from 'tap';
import { openApiDocument } from '../../../protocol/openapi/document.ts';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const document = openApiDocument({ baseUrl: 'https://api.acme.test', docsUrl: 'https://api.acme.test/docs' });

const folder = await mkdtemp(join(tmpdir(), 'skein-openapi-'));
t.teardown(() => rm(folder, { recursive: true, force: true }));
await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));

/** Runs an installed tool in the folder, on this Node, without a network to talk to. */
function run(script: string, ...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise(resolve => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: folder,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      NO_COLOR: '1',
      // Whoever calls out all the same finds nobody.
      HTTP_PROXY: 'http://127.0.0.1:1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
    };
    execFile(
      process.execPath,
      [join(packages, script), ...args],
      { cwd: folder, env: environment, maxBuffer: 16_777_216 },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: stdout + stderr }),
    );
  });
}

t.test('Redocly finds no error and nothing to warn of, by its recommended rules', async t => {
  await writeFile(join(folder, 'redocly.yaml'), 'extends:\n  - recommended\n');
  const { code, said } = await run('@redocly/cli/bin/cli.js', 'lint', 'openapi.json', '--format=summary');
  t.equal(code, 0);
  t.match(said, 'Your API description is valid');
  t.notMatch(said, /warning/, said);
});

t.test('Spectral finds no error and nothing to warn of, by its recommended rules', async t => {
  await writeFile(join(folder, '.spectral.json'), '{"extends":["spectral:oas"]}');
  const { code, said } = await run(
    '@stoplight/spectral-cli/dist/index.js',
    ...['lint', 'openapi.json', '--ruleset', '.spectral.json', '--fail-severity', 'hint'],
  );
  t.equal(code, 0, said);
  t.match(said, 'No results');
});

const client = `
import type { components, operations, paths, webhooks } from './contract.ts';

type Json<O extends keyof operations, S extends keyof operations[O]['responses']> =
  operations[O]['responses'][S] extends { content: { 'application/json': infer B } } ? B : never;

export async function send(threadId: string, key: string): Promise<Json<'createMessage', 201>> {
  const body: paths['/threads/{threadId}/messages']['post']['requestBody']['content']['application/json'] = {
    projectId: 'prj_1',
    body: 'Hello',
  };
  const headers: operations['createMessage']['parameters']['header'] = { 'Idempotency-Key': key };
  const response = await fetch('/v1/threads/' + threadId + '/messages', {
    method: 'POST',
    headers: { ...headers },
    body: JSON.stringify(body),
  });
  if (response.status === 201) return (await response.json()) as Json<'createMessage', 201>;
  const error = (await response.json()) as Json<'createMessage', 409>;
  throw new Error(error.error + ' ' + error.requestId);
}

export const getStatus = (thread: components['schemas']['Thread']): 'open' | 'closed' | 'archived' => thread.status;
export type Received = webhooks['thread.message.received']['post']['requestBody']['content']['application/json'];
export const getBody = (event: Received): string => event.data.message.body;

// A field with a default may be left out.
export const tool: components['schemas']['CreateToolBody'] = {
  projectId: 'prj_1',
  name: 'find_order',
  url: 'https://orders.acme.test',
  headers: { authorization: 'Bearer x' },
  metadata: { team: { name: 'orders' } },
};
// The name of an event says what it holds.
export function describe(event: components['schemas']['Event']): string {
  if (event.eventName === 'thread.message.received') return event.data.message.body;
  if (event.eventName === 'agent.run.succeeded') return event.data.agentRun.trace.steps[0]?.output ?? '';
  return event.eventId;
}

// @ts-expect-error a field that the contract does not know
export const wrong: components['schemas']['CreateMessageBody'] = { projectId: 'prj_1', body: 'x', urgent: true };
// @ts-expect-error the key is required
export const keyless: operations['createMessage']['parameters']['header'] = {};
`;

t.test('openapi-typescript makes a client of it that compiles in strict mode', async t => {
  const source = JSON.parse(JSON.stringify(document)) as OpenAPI3;
  await writeFile(join(folder, 'contract.ts'), astToString(await openapiTS(source)));
  await writeFile(join(folder, 'client.ts'), client);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(packages, join(folder, 'node_modules'));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const { code, said } = await run('@typescript/native/bin/tsc', '--project', 'tsconfig.json');
  t.equal(said, '');
  t.equal(code, 0);
});
