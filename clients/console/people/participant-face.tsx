/**
 * A participant as their picture, where one is kept, or as two letters: on the same colour wherever they are shown, in each of their threads.
 */
import { useState } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { Face } from '../../kit/people/face.tsx';
import { useFileUrl } from '../thread/use-file-url.ts';
import classes from './participant-face.module.css';

interface ParticipantFaceProps {
  readonly thread: Pick<Thread, 'threadId' | 'externalRef' | 'participant'>;
  readonly name: string;
  /** In pixels. */
  readonly size: number;
}

export function ParticipantFace({ thread, name, size }: ParticipantFaceProps) {
  const { threadId, externalRef, participant } = thread;
  const id = participant?.externalParticipantRef ?? externalRef ?? threadId;
  const letters = <Face userId={id} name={name} color={null} size={size} />;
  const picture = participant?.attributes['picture'];
  if (typeof picture !== 'string') return letters;
  return <Picture key={picture} attachmentId={picture} size={size} letters={letters} />;
}

interface PictureProps {
  /** Of a kept file. */
  readonly attachmentId: string;
  readonly size: number;
  /** Until it is there, and where it cannot be shown. */
  readonly letters: React.ReactNode;
}

function Picture({ attachmentId, size, letters }: PictureProps) {
  const { data: url } = useFileUrl({ kind: 'image', attachmentId }, { isKeptFresh: false });
  const [isBroken, setBroken] = useState(false);
  if (url === undefined || isBroken) return letters;
  return (
    <img
      className={classes['picture']}
      src={url}
      alt=""
      width={size}
      height={size}
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}
