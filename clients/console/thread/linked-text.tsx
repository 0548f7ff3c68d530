/** A text of somebody else, as it was written: no markup is read in it, and its direction changes nothing around it. */
import { useMemo, useState } from 'react';
import { UnstyledButton } from '@mantine/core';
import { useTexts } from '../texts/index.ts';
import { splitLinks } from './links.ts';
import classes from './bubble.module.css';

/** A longer text is folded, so that one message does not fill the list: by its characters or by its lines. */
const foldedLength = 3_000;
const foldedLines = 60;

function fold(text: string): string {
  return text.slice(0, foldedLength).split('\n', foldedLines).join('\n');
}

export function LinkedText({ text }: { readonly text: string }) {
  const texts = useTexts().thread.message;
  const [isWhole, setWhole] = useState(false);
  const folded = useMemo(() => fold(text), [text]);
  const isLong = folded.length < text.length;
  const shown = isLong && !isWhole ? `${folded}…` : text;
  const parts = useMemo(() => splitLinks(shown), [shown]);
  return (
    <div className={classes['text']}>
      <div dir="auto">
        {parts.map((part, index) =>
          'href' in part ? (
            <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
              {/* A character before it that turns the direction would turn the address, too. */}
              <bdi>{part.text}</bdi>
            </a>
          ) : (
            part.text
          ),
        )}
      </div>
      {isLong && (
        <UnstyledButton
          className={classes['fold']}
          onClick={() => setWhole(!isWhole)}
          aria-expanded={isWhole}
        >
          {isWhole ? texts.showLess : texts.showMore}
        </UnstyledButton>
      )}
    </div>
  );
}
