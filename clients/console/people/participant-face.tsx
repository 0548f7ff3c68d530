/** A participant as two letters: on the same colour wherever they are shown, in each of their threads. */
import type { Thread } from '../../sdk/index.ts';
import { Face } from '../../kit/people/face.tsx';

interface ParticipantFaceProps {
  readonly thread: Pick<Thread, 'threadId' | 'externalRef' | 'participant'>;
  readonly name: string;
  /** In pixels. */
  readonly size: number;
}

export function ParticipantFace({ thread, name, size }: ParticipantFaceProps) {
  const { threadId, externalRef, participant } = thread;
  const id = participant?.externalParticipantRef ?? externalRef ?? threadId;
  return <Face userId={id} name={name} color={null} size={size} />;
}
