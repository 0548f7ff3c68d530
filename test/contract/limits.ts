/** Tenants that have as much of something as they may have: one is made over the API, and the database copies its row. */
import type { OperationId } from '../../protocol/operations/table.ts';
import { defaultLimits, type Limits } from '../../storage/writes/limits.ts';
import type { Asked } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import type { ContractFixture, TenantEnvironment } from './contract-fixture.ts';
import type { Provoke } from './scenario.ts';

type Make = (env: TenantEnvironment) => Asked | Promise<Asked>;

/** An environment of a tenant of its own. */
export async function createTenantEnvironment(fixture: ContractFixture): Promise<TenantEnvironment> {
  const tenant = await signUp(fixture.line);
  const { projectId, environmentId, person, key } = tenant;
  return { ...fixture.sandbox, tenant, projectId, environmentId, person, key };
}

/** Which rows of the table are copied, and how the copies differ: `columns` are further columns that have to be unique, each as SQL of `n`. */
export interface Copies {
  readonly table: string;
  readonly id: string;
  readonly where?: (env: TenantEnvironment) => string;
  readonly columns?: Readonly<Record<string, string>>;
}

export async function copyRow(env: TenantEnvironment, copies: Copies, count: number): Promise<void> {
  const { table, id, columns = {}, where = ({ projectId }) => `project_id = '${projectId}'` } = copies;
  const unique = Object.entries({ [id]: `t.${id} || '_' || n`, ...columns });
  const changed = unique.map(([column, value]) => `'${column}', ${value}`).join(', ');
  await env.fixture.database.query(
    `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${changed}))).*
     from ${table} t, generate_series(1, ${count}) n where ${where(env)}`,
  );
}

/** The operation's request by somebody who has made as many as the limit allows. */
export const atLimit =
  (limit: keyof Limits, id: OperationId, make: Make, ...tables: readonly Copies[]): Provoke =>
  async fixture => {
    const env = await createTenantEnvironment(fixture);
    await env.person.get(id, await make(env));
    for (const copies of tables) await copyRow(env, copies, defaultLimits[limit]);
    return { by: env.person, asked: await make(env) };
  };

/** The announcement of a file in an environment whose files have as many bytes as they may have. */
export const atLimitOfBytes =
  (make: Make): Provoke =>
  async fixture => {
    const env = await createTenantEnvironment(fixture);
    await env.key.get('createAttachment', await make(env));
    await fixture.database.query(`update attachment_totals set bytes = $2 where environment_id = $1`, [
      env.environmentId,
      defaultLimits.environmentBytes,
    ]);
    return { by: env.key, asked: await make(env) };
  };
