/**
 * API keys: created, listed, rotated and revoked here, and found by the hash of their secret. The secret itself is shown once, at creation,
 * and not kept.
 *
 *   active           -> rotating   a successor was created and a grace period runs (its end is in the row)
 *   active           -> revoked    a successor was created without a grace period
 *   active, rotating -> revoked    by a user; or the grace has ended
 *
 * A rotating key whose grace has ended counts as revoked, whatever its row says (storage/retention/credential-graces.ts updates the row).
 * So does an expired key for its callers.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import type { Scope } from '../../protocol/operation.ts';
import type {
  ApiKey as ApiKeyResource,
  EnvironmentKind,
  KeyEnvironment,
} from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, toPage } from '../paging/index.ts';
import type { Database } from '../database/index.ts';
import { ApiKey, Environment } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { keyResource, keyStatus, type ApiKeyRow } from './api-key-row.ts';
import { newApiKeySecret } from './api-key-secret.ts';
import { lockProjectRoles } from './roles.ts';
import type { TenancyRules } from './rules.ts';

/** The kind of environment in which a key works. */
export const environmentKinds = {
  test: 'sandbox',
  live: 'production',
} as const satisfies Record<KeyEnvironment, EnvironmentKind>;

export interface NewApiKey extends UserAuditContext, Keyed {
  readonly projectId: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** A change of a key of a project. */
export interface KeyChange extends UserAuditContext {
  readonly projectId: string;
  readonly apiKeyId: string;
}

/** Where a key belongs. */
export interface KeyLocation {
  readonly projectId: string;
  readonly environmentId: string;
  readonly environment: KeyEnvironment;
}

/** A key and its secret, which is shown only once. */
export interface NewKey {
  readonly apiKey: ApiKeyResource;
  readonly secret: string;
}

/** What a request with a key needs to know of it. */
export interface KeyGrant {
  readonly apiKeyId: string;
  /** The key that it goes back to by rotations; itself where it has replaced none. */
  readonly firstKeyId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  readonly scopes: readonly Scope[];
  readonly createdByUserId: string;
  /** Epoch milliseconds: its expiry or the end of its grace; null: none, it works until it is revoked. */
  readonly endsAt: number | null;
  /** Whether its project or workspace is archived. */
  readonly isArchived: boolean;
}

/** The last use of a key. */
export interface KeyUse {
  readonly apiKeyId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly address: string;
}

const selectHome = `
  select project_id as "projectId", environment_id as "environmentId", environment
  from api_keys where api_key_id = $1`;

const selectGrant = `
  select k.api_key_id as "apiKeyId", coalesce(k.first_key_id, k.api_key_id) as "firstKeyId",
    k.project_id as "projectId", k.environment_id as "environmentId", e.kind as "environmentKind", k.scopes, k.created_by_user_id as "createdByUserId",
    (extract(epoch from least(k.expires_at, k.rotation_grace_expires_at)) * 1000)::float8 as "endsAt",
    coalesce(p.archived_at, w.archived_at) is not null as "isArchived"
  from api_keys k join environments e on e.environment_id = k.environment_id and e.project_id = k.project_id
  left join projects p on p.project_id = k.project_id left join workspaces w on w.workspace_id = p.workspace_id
  where k.key_hash = $1 and k.status <> 'revoked'`;

const selectKeys = `
  select api_key_id as "apiKeyId", project_id as "projectId", name, environment, key_prefix as "keyPrefix", scopes, status,
    created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    rotation_grace_expires_at as "rotationGraceExpiresAt", last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp"
  from api_keys`;

const selectOne = `${selectKeys} where api_key_id = $1 and project_id = $2`;

/** Newest first, by the index api_keys_listed read backwards. */
const selectPage = `${selectKeys}
  where project_id = $1 and ($2::timestamptz is null or (created_at, api_key_id) < ($2, $3))
  order by created_at desc, api_key_id desc limit $4`;

/** Newest first. Whoever leaves a workspace knows the secrets of these. */
const selectMade = `${selectKeys}
  where created_by_user_id = $2 and status <> 'revoked' and project_id in (select project_id from projects where workspace_id = $1)
  order by created_at desc, api_key_id desc limit $3`;

const updateUses = `
  update api_keys k set last_used_at = u.at, last_used_ip = u.address
  from unnest($1::text[], $2::timestamptz[], $3::text[]) as u(api_key_id, at, address)
  where k.api_key_id = u.api_key_id and (k.last_used_at is null or k.last_used_at < u.at)`;

export interface ApiKeysOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly cursors: Cursors;
  readonly rules: TenancyRules;
  readonly limits?: Limits;
}

export class ApiKeys {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #cursors: Cursors;
  readonly #rules: TenancyRules;
  readonly #limits: Limits;

  constructor({ db, hash, cursors, rules, limits = defaultLimits }: ApiKeysOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#cursors = cursors;
    this.#rules = rules;
    this.#limits = limits;
  }

  /** A page of the project's keys; `now` (epoch milliseconds) decides which graces have ended. */
  async list(projectId: string, { cursor, limit }: PageRequest, now: number): Promise<Page<ApiKeyResource>> {
    const scope = `api-keys/${projectId}`;
    const [createdAt, apiKeyId] = cursor === undefined ? [] : this.#cursors.decode(scope, cursor);
    const before = createdAt === undefined ? null : new Date(createdAt);
    const rows = await this.#db.query<ApiKeyRow>(selectPage, [
      projectId,
      before,
      apiKeyId ?? null,
      limit + 1,
    ]);
    const { data, ...rest } = toPage(rows, limit, last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.apiKeyId]),
    );
    return { data: data.map(row => keyResource(row, now)), ...rest };
  }

  /** Lists the keys of the workspace's projects that the user has made and that are not revoked, the newest first. */
  async listMadeBy(
    workspaceId: string,
    userId: string,
    limit: number,
    now: number,
  ): Promise<ApiKeyResource[]> {
    const rows = await this.#db.query<ApiKeyRow>(selectMade, [workspaceId, userId, limit], 'api_keys.made');
    return rows.map(row => keyResource(row, now));
  }

  /** Undefined where the project has no such key. */
  async find(projectId: string, apiKeyId: string, now: number): Promise<ApiKeyResource | undefined> {
    const [row] = await this.#db.query<ApiKeyRow>(selectOne, [apiKeyId, projectId], 'api-keys.find');
    return row === undefined ? undefined : keyResource(row, now);
  }

  /** A change that changes nothing is not recorded. */
  rename(change: KeyChange & { readonly name: string | undefined }): Promise<ApiKeyResource> {
    const { projectId, apiKeyId, name, byUserId, now } = change;
    return this.#db.em().transactional(async em => {
      this.#rules.requireDeveloper(await lockProjectRoles(em, projectId, byUserId));
      const row = await lockKey(em, change);
      if (row === null) throw this.#rules.refuse('absent');
      if (name === undefined || name === row.name) return keyResource(row, now);
      row.name = name;
      row.updatedAt = new Date(now);
      await em.flush();
      const { environmentId } = row;
      const act = { action: 'api_key.updated', targetId: apiKeyId, details: { name } } as const;
      await recordUserAction(em, change, { projectId, environmentId, ...act });
      const apiKey = keyResource(row, now);
      const data = { actor: { type: 'user', id: byUserId }, apiKey };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.updated', data }]);
      return apiKey;
    });
  }

  /** Creates a key, if the rules allow its scopes and the project has an environment for it. */
  create(request: NewApiKey): Promise<NewKey> {
    const { projectId, environment, byUserId } = request;
    return transactOnce(this.#db, request.key, async em => {
      this.#rules.requireKeyCreation(await lockProjectRoles(em, projectId, byUserId), request.scopes);
      const home = await em.findOne(Environment, { projectId, kind: environmentKinds[environment] });
      if (home === null) throw this.#rules.noKeyEnvironment(environment);
      const { environmentId } = home;
      const { name, scopes, expiresAt } = request;
      const made = this.#add(em, { projectId, environmentId, environment, name, scopes, expiresAt }, request);
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'apiKeys', projectId);
      const { apiKey } = made;
      const { apiKeyId: targetId } = apiKey;
      const details = { name, environment, scopes: apiKey.scopes, expiresAt: apiKey.expiresAt };
      await recordUserAction(em, request, {
        projectId,
        environmentId,
        action: 'api_key.created',
        targetId,
        details,
      });
      const data = { actor: { type: 'user', id: byUserId }, apiKey };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.created', data }]);
      return { apiKey, secret: made.secret };
    });
  }

  /**
   * Creates a successor with the same name, scopes and expiry; the key itself works on until the grace period is over. Only an active key
   * is rotated, and only once; any other reads as absent.
   */
  rotate(
    change: KeyChange & Keyed & { readonly gracePeriodSeconds: number },
  ): Promise<NewKey & { readonly previous: ApiKeyResource }> {
    const { projectId, byUserId, now, gracePeriodSeconds } = change;
    return transactOnce(this.#db, change.key, async em => {
      const roles = await lockProjectRoles(em, projectId, byUserId);
      const row = await lockKey(em, change);
      const ended = row?.expiresAt !== undefined && row.expiresAt !== null && row.expiresAt.getTime() <= now;
      if (row?.status !== 'active' || ended) throw this.#rules.refuse('absent');
      this.#rules.requireKeyRotation(roles, row.scopes as Scope[]);
      const { environmentId, environment, name, scopes, expiresAt = null } = row;
      const successor = { projectId, environmentId, environment, name, scopes: scopes as Scope[], expiresAt };
      const { firstKeyId = null } = row;
      const chain = { previousKeyId: row.apiKeyId, firstKeyId: firstKeyId ?? row.apiKeyId };
      const made = this.#add(em, { ...successor, ...chain }, change);
      row.updatedAt = new Date(now);
      if (gracePeriodSeconds === 0) {
        row.status = 'revoked';
        row.revokedAt = row.updatedAt;
      } else {
        row.status = 'rotating';
        row.rotationGraceExpiresAt = new Date(now + gracePeriodSeconds * 1_000);
      }
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'apiKeys', projectId);
      const previous = keyResource(row, now);
      const { apiKey, secret } = made;
      const details = { name, newKeyId: apiKey.apiKeyId, gracePeriodSeconds };
      await recordUserAction(em, change, {
        projectId,
        environmentId,
        action: 'api_key.rotated',
        targetId: row.apiKeyId,
        details,
      });
      const data = { actor: { type: 'user', id: byUserId }, apiKey: previous, newKey: apiKey };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.rotated', data }]);
      return { apiKey, secret, previous };
    });
  }

  /** Where the key belongs, for authorising a change of it; undefined when there is no such key. */
  async findLocation(apiKeyId: string): Promise<KeyLocation | undefined> {
    const [row] = await this.#db.query<KeyLocation>(selectHome, [apiKeyId], 'api-keys.home');
    return row;
  }

  /** Revokes a key of the project. A revoked key stays as it is, without a second event. */
  async revoke(change: KeyChange): Promise<void> {
    await this.#db.em().transactional(async em => {
      const row = await lockKey(em, change);
      if (row === null || keyStatus(row, change.now) === 'revoked') return;
      await appendEvents(em, [await revokeKey(em, row, change)]);
    });
  }

  /** What a presented secret grants; undefined when no valid key has it. The caller checks when it ends. */
  async findGrant(secret: string): Promise<KeyGrant | undefined> {
    const hash = this.#hash.digest('api-key', secret);
    const [grant] = await this.#db.query<KeyGrant>(selectGrant, [hash], 'api-keys.grant');
    return grant;
  }

  /** Records last uses in one statement; an older use never overwrites a newer one. */
  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    const columns = [
      uses.map(use => use.apiKeyId),
      uses.map(use => new Date(use.at)),
      uses.map(use => use.address),
    ];
    await this.#db.query(updateUses, columns, 'api-keys.uses');
  }

  /** Adds a key to the unit of work. */
  #add(em: EntityManager, key: KeyToAdd, { byUserId, now }: UserAuditContext) {
    const { secret, keyPrefix } = newApiKeySecret(key.environment);
    const at = new Date(now);
    const row = em.create(ApiKey, {
      ...key,
      apiKeyId: newId('apiKey', now),
      keyPrefix,
      keyHash: this.#hash.digest('api-key', secret),
      scopes: [...new Set(key.scopes)],
      status: 'active',
      createdByUserId: byUserId,
      createdAt: at,
      updatedAt: at,
    });
    return { row, secret, apiKey: keyResource(row, now) };
  }
}

interface KeyToAdd {
  readonly projectId: string;
  readonly environmentId: string;
  readonly environment: KeyEnvironment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly previousKeyId?: string;
  readonly firstKeyId?: string;
}

/** Revokes a locked key, and resolves to the event of that. Call it inside a transaction and append the event there. */
export async function revokeKey(
  em: EntityManager,
  row: InferEntity<typeof ApiKey>,
  audit: UserAuditContext,
): Promise<NewEvent> {
  const { projectId, environmentId, apiKeyId: targetId, name } = row;
  row.status = 'revoked';
  row.revokedAt = new Date(audit.now);
  row.updatedAt = row.revokedAt;
  await em.flush();
  const act = { projectId, environmentId, action: 'api_key.revoked', targetId, details: { name } } as const;
  await recordUserAction(em, audit, act);
  const data = { actor: { type: 'user', id: audit.byUserId }, apiKey: keyResource(row, audit.now) };
  return { projectId, environmentId, eventName: 'project.api_key.revoked', data };
}

/** Of several changes of one key, each waits here for the one before. */
function lockKey(em: EntityManager, { projectId, apiKeyId }: KeyChange) {
  return em.findOne(ApiKey, { projectId, apiKeyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}
