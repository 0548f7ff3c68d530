/**
 * The scope of a call that names a resource by its id alone. A key is bound to its environment, a service has named one, and
 * the actor or the statement that is asked next refuses what lies elsewhere; a user's rights depend on whose the resource is.
 */
import { notFound } from '../../../protocol/errors.ts';
import type { Database } from '../../../storage/database.ts';
import type { ChannelHead } from '../../../storage/reads/channels.ts';
import type { PlaceOf } from '../../../storage/reads/place.ts';
import type { ChannelDirectory } from '../../channel-directory.ts';
import type { Call, ProjectScope } from '../handler.ts';

type Locating = Pick<Call, 'caller' | 'project' | 'scopeOf'>;

/** Rejects with 404 where what a user names is not there or not theirs; for others that is still to be found out. */
export async function scopeById(
  call: Locating,
  db: Pick<Database, 'query'>,
  placeOf: PlaceOf,
  id: string,
): Promise<ProjectScope> {
  if (call.caller?.type !== 'user' && call.project !== undefined) return call.project;
  const place = await placeOf(db, id);
  if (place === undefined) throw notFound();
  return call.scopeOf(place.projectId, place.environmentId);
}

/** The scope of a call that names its project: for lists and creations. */
export function placeOfCall({ project }: Pick<Call, 'project'>): ProjectScope {
  if (project === undefined) throw notFound();
  return project;
}

/** Rejects with 404 where the channel is not there or not the caller's. */
export async function channelOf(
  call: Locating,
  directory: ChannelDirectory,
  channelId: string,
): Promise<{ readonly channel: ChannelHead; readonly scope: ProjectScope }> {
  const found = directory.find(channelId);
  const channel = found instanceof Promise ? await found : found;
  if (channel === undefined) throw notFound();
  const scope = await scopeOfChannel(call, channel);
  return { channel, scope };
}

function scopeOfChannel(call: Locating, channel: ChannelHead): ProjectScope | Promise<ProjectScope> {
  const { project } = call;
  if (
    call.caller?.type !== 'user' &&
    project?.projectId === channel.projectId &&
    project.environmentId === channel.environmentId
  ) {
    return project;
  }
  return call.scopeOf(channel.projectId, channel.environmentId);
}
