/** What the palette has found, as it is shown. */
import type { Thread } from '../../sdk/index.ts';
import { ParticipantFace } from '../people/participant-face.tsx';
import { toParticipantName } from '../people/participant-name.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { useTexts } from '../texts/index.ts';
import classes from './found.module.css';
import { Snippet } from './snippet.tsx';

export function FoundThread({ thread }: { readonly thread: Thread }) {
  const { list: texts, thread: threadTexts } = useTexts();
  const formats = useFormats();
  const name = toParticipantName(thread, texts.participantNames);
  const { match } = thread;
  const at = match?.at ?? thread.lastMessageAt;
  return (
    <>
      <ParticipantFace thread={thread} name={name} size={28} />
      <span className={classes['found']}>
        <span className={classes['top']}>
          <bdi className={classes['name']}>{name}</bdi>
          {thread.status !== 'open' && (
            <span className={classes['status']}>{threadTexts.status[thread.status]}</span>
          )}
          <time className={classes['at']} dateTime={at}>
            {formats.day(at)}
          </time>
        </span>
        <bdi className={classes['snippet']}>
          {match === undefined ? thread.preview?.text : <Snippet {...match} />}
        </bdi>
      </span>
    </>
  );
}
