/** Plays audio or video in place. Where its address has ended meanwhile, it asks for another one and goes on where it was. */
import { useRef, useState } from 'react';
import classes from './bubble.module.css';

interface PlayerProps {
  readonly kind: 'audio' | 'video';
  readonly url: string | undefined;
  readonly name: string;
  /** Asks for another address, and gives it. */
  readonly renew: () => Promise<string | undefined>;
  /** The browser cannot play it. */
  readonly onBroken: () => void;
}

/** An address that is younger than this has not ended, in milliseconds. */
const youngMs = 10_000;

export function Player({ kind: Kind, url, name, renew, onBroken }: PlayerProps) {
  const renewedAt = useRef(0);
  const goesOnAt = useRef<number>(undefined);
  const [isRenewed, setRenewed] = useState(false);
  const onError = (media: HTMLMediaElement): void => {
    const isBroken = media.error?.code === MediaError.MEDIA_ERR_DECODE;
    if (isBroken || Date.now() - renewedAt.current < youngMs) return onBroken();
    renewedAt.current = Date.now();
    goesOnAt.current = media.currentTime;
    setRenewed(true);
    // The same address fails the same way, and the browser does not try it again.
    void renew().then(renewed => renewed === url && onBroken());
  };
  const goOn = (media: HTMLMediaElement): void => {
    if (goesOnAt.current === undefined) return;
    media.currentTime = goesOnAt.current;
    goesOnAt.current = undefined;
    // Where the browser does not let it, the operator presses play.
    void media.play().catch(() => undefined);
  };
  return (
    <Kind
      className={classes['player']}
      controls
      // With another address somebody waits: it is loaded at once, and said at once where that fails, too.
      preload={Kind === 'video' || isRenewed ? 'metadata' : 'none'}
      src={url}
      aria-label={name}
      onError={event => onError(event.currentTarget)}
      onLoadedMetadata={event => goOn(event.currentTarget)}
    />
  );
}
