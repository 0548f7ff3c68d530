/** What the resources of an environment have in common: whose they are, their lists, and changes that may change nothing. */
import { isDeepStrictEqual } from 'node:util';
import { passesIfMatch } from '../../protocol/etag.ts';
import { isTooLarge, mergePatch } from '../../protocol/merge-patch.ts';
import { createFindTenant, type Queries, type TenantScope } from '../database/index.ts';
import { type Cursors, type Page, type PageRequest, limitBytes, readPage, toPage } from '../paging/index.ts';
import type { AgentRules } from './rules.ts';

export const findByokCredentialTenant = createFindTenant('byok_credentials', 'byok_credential_id');
export const findToolTenant = createFindTenant('tools', 'tool_id');
export const findLoomTenant = createFindTenant('looms', 'loom_id');
export const findAgentTenant = createFindTenant('agents', 'agent_id');

/** A list of the rows of an environment. */
export interface EnvironmentList {
  readonly table: string;
  /** The column of the id. */
  readonly id: string;
  /** What is selected, under the names of the row. */
  readonly columns: string;
  /** A further condition. */
  readonly where?: string;
  /** Tells its cursors from those of another list of the table. */
  readonly part?: string;
}

/** What can be archived: those that are, instead of the others. */
export interface ArchivablePageRequest extends PageRequest {
  readonly archived?: boolean | undefined;
}

/** The list of those that are archived, or of the others. */
export function selectArchived(list: EnvironmentList, archived = false): EnvironmentList {
  if (archived) return { ...list, where: 'archived_at is not null', part: ' archived' };
  return { ...list, where: 'archived_at is null' };
}

/** A page of the list, newest first. */
export async function listPage<Row extends { readonly createdAt: Date }>(
  { db, cursors }: { readonly db: Queries; readonly cursors: Cursors },
  { table, id, columns, where = 'true', part = '' }: EnvironmentList,
  { projectId, environmentId }: TenantScope,
  { cursor, limit }: PageRequest,
  getId: (row: Row) => string,
): Promise<Page<Row>> {
  const scope = `${table} ${projectId} ${environmentId}${part}`;
  const [at, lastId] = cursor === undefined ? [] : cursors.decode(scope, cursor);
  const page = await readPage<Row>(
    db,
    limitBytes(`select ${columns} from ${table}
     where project_id = $1 and environment_id = $2 and ${where}
       and ($3::timestamptz is null or (created_at, ${id}) < ($3, $4))
     order by created_at desc, ${id} desc limit $5`),
    [projectId, environmentId, at === undefined ? null : new Date(at), lastId ?? null, limit + 1],
    limit,
  );
  return toPage(page, last => cursors.encode(scope, [last.createdAt.getTime(), getId(last)]));
}

/** What a change of a resource with an ETag may bring beside the change. */
export interface Conditional {
  /** The header If-Match; empty or absent: there is no condition. */
  readonly ifMatch?: string | undefined;
}

/** Refused where the resource is not what If-Match names: within the transaction, which has locked its row. */
export function requireUnchanged(
  rules: Pick<AgentRules, 'refuse'>,
  { ifMatch = '' }: Conditional,
  resource: object,
): void {
  if (!passesIfMatch(ifMatch, resource)) throw rules.refuse('changed');
}

type Metadata = Record<string, unknown>;

/** The changes with the metadata that the row has after them. Refused where that is too large. */
export function mergeMetadata<Changes extends { readonly metadata?: Metadata | undefined }>(
  rules: Pick<AgentRules, 'refuse'>,
  before: Metadata,
  changes: Changes,
): Changes {
  if (changes.metadata === undefined) return changes;
  const metadata = mergePatch(before, changes.metadata);
  if (isTooLarge(metadata, before)) throw rules.refuse('metadata_too_large');
  return { ...changes, metadata };
}

/** Assigns the values that differ from the row's, and gives their names: none for a change that changes nothing. */
export function applyChanges<Row extends object>(
  row: Row,
  changes: { readonly [K in keyof Row]?: Row[K] | undefined },
): string[] {
  const names: string[] = [];
  for (const name of Object.keys(changes) as (keyof Row & string)[]) {
    const value = changes[name];
    if (value === undefined || isDeepStrictEqual(row[name], value)) continue;
    row[name] = value;
    names.push(name);
  }
  return names.sort();
}
