/** Plays audio or video in place. Where its address has ended meanwhile, it asks for another one and goes on where it was. */
import { useRef } from 'react';
import classes from './bubble.module.css';

interface PlayerProps {
  readonly kind: 'audio' | 'video';
  readonly url: string | undefined;
  readonly name: string;
  /** Asks for another address. */
  readonly renew: () => Promise<void>;
  readonly onBroken: () => void;
}

/** An address that is younger than this has not ended, in milliseconds. */
const youngMs = 10_000;

export function Player({ kind: Kind, url, name, renew, onBroken }: PlayerProps) {
  const renewedAt = useRef(0);
  const goesOnAt = useRef<number>(undefined);
  const onError = (media: HTMLMediaElement): void => {
    if (Date.now() - renewedAt.current < youngMs) return onBroken();
    renewedAt.current = Date.now();
    goesOnAt.current = media.currentTime;
    void renew();
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
      preload={Kind === 'video' ? 'metadata' : 'none'}
      src={url}
      aria-label={name}
      onError={event => onError(event.currentTarget)}
      onLoadedMetadata={event => goOn(event.currentTarget)}
    />
  );
}
