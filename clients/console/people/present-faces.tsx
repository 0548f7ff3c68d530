/** Who else looks at a thread, or writes in it, as it is shown in a list. */
import { useTexts } from '../texts/index.ts';
import { usePresent } from '../thread/conversations-context.tsx';
import type { Names } from '../thread/names.tsx';
import { Face } from '../../kit/people/face.tsx';

/** More have no room. */
const mostShown = 3;

interface PresentFacesProps {
  readonly threadId: string;
  readonly names: Names;
}

export function PresentFaces({ threadId, names }: PresentFacesProps) {
  const texts = useTexts().thread.composer;
  return usePresent(threadId)
    .slice(0, mostShown)
    .map(({ userId, displayName, avatarColor, isTyping }) => {
      const name = displayName ?? names.person(userId);
      return (
        <Face
          key={userId}
          userId={userId}
          name={name}
          color={avatarColor}
          isTyping={isTyping}
          title={(isTyping ? texts.typing : texts.viewing)(name)}
          size={16}
        />
      );
    });
}
