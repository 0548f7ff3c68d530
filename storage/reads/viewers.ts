/** Who looks at a thread, for the Console stream. */
import type { AvatarColor } from '../../protocol/resources/index.ts';
import type { Queries } from '../database/index.ts';
import { selectDisplayName } from '../entities/index.ts';

interface Viewer {
  readonly userId: string;
  readonly displayName: string;
  readonly avatarColor: AvatarColor | null;
  readonly environmentId: string;
}

/** The user as others see them, and the environment of the thread. Undefined where the project has no such thread. */
export async function findViewer(
  db: Queries,
  { projectId, threadId, userId }: { projectId: string; threadId: string; userId: string },
): Promise<Viewer | undefined> {
  const [row] = await db.query<Viewer>(
    `select u.user_id as "userId", ${selectDisplayName} as "displayName", u.avatar_color as "avatarColor",
       t.environment_id as "environmentId"
     from threads t join users u on u.user_id = $3
     where t.project_id = $1 and t.thread_id = $2`,
    [projectId, threadId, userId],
    'threads.viewer',
  );
  return row;
}
