/**
 * API keys: made, listed, rotated and revoked here, looked up by the hash of their secret. The secret itself is given out once, at
 * creation, and not kept.
 *
 *   active           -> rotating   a successor was made and a grace period runs (the grace's end is in the row)
 *   active           -> revoked    a successor was made without a grace period
 *   active, rotating -> revoked    by a user; or the grace has ended
 *
 * A rotating key whose grace has ended counts as revoked, whatever its row says (key-graces.ts writes it down); so does an
 * expired key for callers.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Scope } from '../../protocol/operation.ts';
import { beyond, type Roles } from '../../protocol/operations/grants.ts';
import { access } from '../../protocol/operations/rules.ts';
import type { ApiKey as ApiKeyResource, KeyEnvironment } from '../../protocol/resources/api-key.ts';
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import { recordDoing, type Doing } from '../audit.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { ApiKey } from '../entities/credentials.ts';
import { Environment } from '../entities/tenancy.ts';
import { appendEvents } from '../events.ts';
import type { KeyHash } from '../keyhash.ts';
import { keyResource, keyStatus, type ApiKeyRow } from './api-key-row.ts';
import { newApiKeySecret } from './api-key-secret.ts';
import { rolesInProject } from './authority.ts';
import type { PageRequest } from './workspaces.ts';

/** In which environment a key works (decisions section 1). */
export const environmentKindOf = {
  test: 'sandbox',
  live: 'production',
} as const satisfies Record<KeyEnvironment, EnvironmentKind>;

export interface NewApiKey extends Doing {
  readonly projectId: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** Which key of which project. */
export interface KeyChange extends Doing {
  readonly projectId: string;
  readonly apiKeyId: string;
}

/** Where a key lies. */
export interface KeyHome {
  readonly projectId: string;
  readonly environmentId: string;
  readonly environment: KeyEnvironment;
}

/** A key and its secret, which is not to be had again. */
export interface NewKey {
  readonly apiKey: ApiKeyResource;
  readonly secret: string;
}

/** What a request with a key has to know of it. */
export interface KeyGrant {
  readonly apiKeyId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  readonly scopes: readonly Scope[];
  readonly createdByUserId: string;
  /** Epoch milliseconds: its expiry or the end of its grace; null: it works until it is revoked. */
  readonly endsAt: number | null;
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
  select k.api_key_id as "apiKeyId", k.project_id as "projectId", k.environment_id as "environmentId",
    e.kind as "environmentKind", k.scopes, k.created_by_user_id as "createdByUserId",
    (extract(epoch from least(k.expires_at, k.rotation_grace_expires_at)) * 1000)::float8 as "endsAt"
  from api_keys k join environments e on e.environment_id = k.environment_id
  where k.key_hash = $1 and k.status <> 'revoked'`;

/** Newest first, by the index api_keys_listed read backwards. */
const selectPage = `
  select api_key_id as "apiKeyId", project_id as "projectId", name, environment, key_prefix as "keyPrefix", scopes, status,
    created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    rotation_grace_expires_at as "rotationGraceExpiresAt", last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp"
  from api_keys
  where project_id = $1 and ($2::timestamptz is null or (created_at, api_key_id) < ($2, $3))
  order by created_at desc, api_key_id desc limit $4`;

const updateUses = `
  update api_keys k set last_used_at = u.at, last_used_ip = u.address
  from unnest($1::text[], $2::timestamptz[], $3::text[]) as u(api_key_id, at, address)
  where k.api_key_id = u.api_key_id and (k.last_used_at is null or k.last_used_at < u.at)`;

export interface ApiKeysOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly cursors: Cursors;
}

export class ApiKeys {
  readonly #db: Database;
  readonly #hash: KeyHash;
  readonly #cursors: Cursors;

  constructor({ db, hash, cursors }: ApiKeysOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#cursors = cursors;
  }

  /** A page of the project's keys; `now` (epoch milliseconds) tells which graces have ended. */
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
    const { data, ...rest } = page(rows, limit, last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.apiKeyId]),
    );
    return { data: data.map(row => keyResource(row, now)), ...rest };
  }

  /**
   * Refuses with 422 when the project has no environment for such a key, and with `svc/auth/insufficient_scope` scopes that its
   * maker may not give.
   */
  create(request: NewApiKey): Promise<NewKey> {
    const { projectId, environment, byUserId } = request;
    return this.#db.em().transactional(async em => {
      refuseBeyond(await rolesInProject(em, projectId, byUserId), request.scopes);
      const home = await em.findOne(Environment, { projectId, kind: environmentKindOf[environment] });
      if (home === null) throw noEnvironment(environment);
      const { environmentId } = home;
      const { name, scopes, expiresAt } = request;
      const made = this.#add(em, { projectId, environmentId, environment, name, scopes, expiresAt }, request);
      await em.flush();
      const { apiKey } = made;
      const { apiKeyId: targetId } = apiKey;
      const details = { name, environment, scopes: apiKey.scopes, expiresAt: apiKey.expiresAt };
      await recordDoing(em, request, {
        ...{ projectId, environmentId, action: 'api_key.created', targetId, details },
      });
      const data = { actor: { type: 'user', id: byUserId }, apiKey };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.created', data }]);
      return { apiKey, secret: made.secret };
    });
  }

  /**
   * Makes a successor with the same name, scopes and expiry; the key itself works on until the grace period is over. Only one that
   * is active is rotated, and once, and only by who may give its scopes: any other is `svc/runtime/not_found`.
   */
  rotate(
    change: KeyChange & { readonly gracePeriodSeconds: number },
  ): Promise<NewKey & { readonly previous: ApiKeyResource }> {
    const { projectId, byUserId, now, gracePeriodSeconds } = change;
    return this.#db.em().transactional(async em => {
      const roles = await rolesInProject(em, projectId, byUserId);
      const row = await lockKey(em, change);
      const ended = row?.expiresAt !== undefined && row.expiresAt !== null && row.expiresAt.getTime() <= now;
      if (row?.status !== 'active' || ended || !mayGive(roles, row.scopes as Scope[])) throw notFound();
      const { environmentId, environment, name, scopes, expiresAt = null } = row;
      const successor = { projectId, environmentId, environment, name, scopes: scopes as Scope[], expiresAt };
      const made = this.#add(em, { ...successor, previousKeyId: row.apiKeyId }, change);
      row.updatedAt = new Date(now);
      if (gracePeriodSeconds === 0) {
        row.status = 'revoked';
        row.revokedAt = row.updatedAt;
      } else {
        row.status = 'rotating';
        row.rotationGraceExpiresAt = new Date(now + gracePeriodSeconds * 1_000);
      }
      await em.flush();
      const previous = keyResource(row, now);
      const { apiKey, secret } = made;
      const details = { name, newKeyId: apiKey.apiKeyId, gracePeriodSeconds };
      await recordDoing(em, change, {
        ...{ projectId, environmentId, action: 'api_key.rotated', targetId: row.apiKeyId, details },
      });
      const data = { actor: { type: 'user', id: byUserId }, apiKey: previous, newKey: apiKey };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.rotated', data }]);
      return { apiKey, secret, previous };
    });
  }

  /** Whose the key is, to authorise by; undefined when there is no such key. */
  async homeOf(apiKeyId: string): Promise<KeyHome | undefined> {
    const [row] = await this.#db.query<KeyHome>(selectHome, [apiKeyId], 'api-keys.home');
    return row;
  }

  /** Revokes a key of the project; one that is revoked already stays as it is, without a second event. */
  async revoke(change: KeyChange): Promise<void> {
    const { projectId, byUserId, now } = change;
    await this.#db.em().transactional(async em => {
      const row = await lockKey(em, change);
      if (row === null || keyStatus(row, now) === 'revoked') return;
      row.status = 'revoked';
      row.revokedAt = new Date(now);
      row.updatedAt = row.revokedAt;
      await em.flush();
      const { environmentId, apiKeyId: targetId, name } = row;
      await recordDoing(em, change, {
        ...{ projectId, environmentId, action: 'api_key.revoked', targetId, details: { name } },
      });
      const data = { actor: { type: 'user', id: byUserId }, apiKey: keyResource(row, now) };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.revoked', data }]);
    });
  }

  /** What a presented secret grants; undefined when no key that is not revoked has it. Ends are the caller's to check. */
  async grantOf(secret: string): Promise<KeyGrant | undefined> {
    const hash = this.#hash.of('api-key', secret);
    const [grant] = await this.#db.query<KeyGrant>(selectGrant, [hash], 'api-keys.grant');
    return grant;
  }

  /** Writes last uses down in one statement; an older use never overwrites a newer one. */
  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    const columns = [
      uses.map(use => use.apiKeyId),
      uses.map(use => new Date(use.at)),
      uses.map(use => use.address),
    ];
    await this.#db.query(updateUses, columns, 'api-keys.uses');
  }

  /** Adds a key to the unit of work. */
  #add(em: EntityManager, key: KeyToAdd, { byUserId, now }: Doing) {
    const { secret, keyPrefix } = newApiKeySecret(key.environment);
    const at = new Date(now);
    const row = em.create(ApiKey, {
      ...key,
      apiKeyId: newId('apiKey', now),
      keyPrefix,
      keyHash: this.#hash.of('api-key', secret),
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
}

/** Of several changes of one key, each waits here for the one before. */
function lockKey(em: EntityManager, { projectId, apiKeyId }: KeyChange) {
  return em.findOne(ApiKey, { projectId, apiKeyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/** Whether whoever is this may have the secret of a key with the scopes. */
function mayGive(roles: Roles, scopes: readonly Scope[]): boolean {
  return mayWriteKeys(roles) && beyond(roles, scopes).length === 0;
}

function mayWriteKeys({ studioRole }: Roles): boolean {
  return studioRole !== undefined && (access.writeKeys.studio as readonly string[]).includes(studioRole);
}

function refuseBeyond(roles: Roles, scopes: readonly Scope[]): void {
  if (!mayWriteKeys(roles)) throw new ServiceError('svc/auth/insufficient_scope');
  const withheld = beyond(roles, scopes);
  if (withheld.length === 0) return;
  const message = `Your role may not give a key ${withheld.join(', ')}${scopes.includes('*') ? ', which * includes' : ''}.`;
  throw new ServiceError('svc/auth/insufficient_scope', { message });
}

function noEnvironment(environment: KeyEnvironment): ServiceError {
  const message = `The project has no ${environmentKindOf[environment]} environment: create it first.`;
  return new ServiceError('svc/validation/invalid_request', {
    message,
    details: { issues: [{ path: '/body/environment', message, code: 'environment' }] },
  });
}
