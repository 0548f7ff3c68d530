/** Whose it is: what every command of an actor names and every actor checks, so that no look-up has to come first. */
import { notFound } from '../protocol/errors.ts';

/** A project and one environment of it. */
export interface Tenancy {
  readonly projectId: string;
  readonly environmentId: string;
}

/** A free-form object of the caller's. */
export type Metadata = Readonly<Record<string, unknown>>;

/**
 * Refuses with 404 unless the actor is there and in the caller's project and environment: what is absent and what is
 * another tenant's read the same. An actor that does not exist has an empty project.
 */
export function requireOwn(state: Tenancy, tenancy: Tenancy): void {
  if (
    state.projectId === '' ||
    state.projectId !== tenancy.projectId ||
    state.environmentId !== tenancy.environmentId
  ) {
    throw notFound();
  }
}
