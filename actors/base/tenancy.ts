/**
 * Whom an actor belongs to. Every command names the project and environment that it is meant for, and every actor compares them with
 * its own, so that no look-up has to come first.
 */
import { notFound } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';

/** A project and one environment of it. */
export interface Tenancy {
  readonly projectId: string;
  readonly environmentId: string;
}

/** A free-form object of the caller's. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Who acts when no person and no program does, as events show it. */
export const systemActor: Actor = { type: 'system', id: null };

/** Whether the actor has been created. There is an actor for every id; one that does not exist has an empty project. */
export function exists({ projectId }: Tenancy): boolean {
  return projectId !== '';
}

/**
 * Refuses with 404 unless the actor exists and belongs to the caller's project and environment. A missing actor and another tenant's get
 * the same 404, so that nobody learns which ids exist elsewhere.
 */
export function requireSameTenancy(state: Tenancy, tenancy: Tenancy): void {
  if (
    !exists(state) ||
    state.projectId !== tenancy.projectId ||
    state.environmentId !== tenancy.environmentId
  ) {
    throw notFound();
  }
}
