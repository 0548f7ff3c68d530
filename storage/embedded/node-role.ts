/**
 * The roles of an embedded server. `initdb` makes the superuser, which only this file connects as, at each start. The node connects as an
 * ordinary role that owns its database and all that is in it: whatever reaches a statement of the node can neither read files, nor run
 * programs, nor change the server's settings.
 *
 * Databases of versions before 0.2 belong to the superuser, and are given to the role by the first start.
 */
import pg from 'pg';
import { type ClusterAccess, databaseName, nodeRole, toSuperuserUrl } from './cluster.ts';

const createRole = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${nodeRole}') then create role ${nodeRole}; end if;
  end $$`;

// Also where a role of that name was made by somebody else, or the password was lost.
const restrictRole = (password: string): string =>
  `alter role ${nodeRole} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`;

const findDatabase = `
  select pg_get_userbyid(datdba) = '${nodeRole}' as owned from pg_database where datname = '${databaseName}'`;

/**
 * Gives everything in the database to the role. REASSIGN OWNED would do it, but not for the superuser that initdb has made. A sequence that
 * belongs to a column, an index and a row type change their owner with their table.
 */
const giveObjects = `
  do $$
  declare change text;
  begin
    for change in
      select format('alter schema %I owner to ${nodeRole}', nspname) from pg_namespace
      where nspname !~ '^pg_' and nspname not in ('information_schema', 'public') and nspowner <> '${nodeRole}'::regrole
      union all
      select format('alter %s %s owner to ${nodeRole}',
        case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end, c.oid::regclass)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' and relowner <> '${nodeRole}'::regrole
        and relkind in ('r', 'p', 'S', 'v', 'm')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype in ('a', 'i') and relkind = 'S')
      union all
      select format('alter routine %s owner to ${nodeRole}', p.oid::regprocedure)
      from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname !~ '^pg_' and nspname <> 'information_schema' and proowner <> '${nodeRole}'::regrole
    loop
      execute change;
    end loop;
  end $$`;

/** Makes the role and the database where they are missing, and gives the database to the role. Connects, so that it rejects where it cannot. */
export async function ensureNodeRole(access: ClusterAccess): Promise<void> {
  await asSuperuser(access, 'postgres', async client => {
    await client.query(createRole);
    await client.query(restrictRole(access.nodePassword));
    const { rows } = await client.query<{ owned: boolean }>(findDatabase);
    if (rows[0] === undefined) await client.query(`create database ${databaseName} owner ${nodeRole}`);
    else if (!rows[0].owned) await client.query(`alter database ${databaseName} owner to ${nodeRole}`);
  });
  await asSuperuser(access, databaseName, client => client.query(giveObjects));
}

async function asSuperuser(
  access: ClusterAccess,
  database: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const connectionString = toSuperuserUrl(access, database);
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
