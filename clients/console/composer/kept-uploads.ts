/** The files of all conversations that were worked in, as long as the session lasts: they go on arriving while their operator looks at other pages. */
import { session } from '../../kit/browser-session.ts';
import { describeError } from '../../kit/error-texts.ts';
import { createRandomKey } from '../../kit/random-key.ts';
import type { Conversations } from '../thread/conversations.ts';
import type { Drafts } from './drafts.ts';
import { Uploads } from './uploads.ts';

const kept = new Map<Conversations, Uploads>();

session.onEnd(() => {
  for (const uploads of kept.values()) uploads.stop();
  kept.clear();
});

/** Whether files would be lost with the page. */
export const holdsFiles = (): boolean => [...kept.values()].some(uploads => uploads.holdsFiles);

export function getUploads(conversations: Conversations, drafts: Drafts): Uploads {
  const known = kept.get(conversations);
  if (known !== undefined) return known;
  const uploads = new Uploads(conversations.client, {
    createKey: createRandomKey,
    describeError,
    load: threadId => drafts.get(threadId).files ?? [],
    keep: (threadId, files) => drafts.update(threadId, { files }),
  });
  kept.set(conversations, uploads);
  return uploads;
}
