/** Files and text that are dragged onto the form in which one writes. */
import { useState, type DragEvent, type RefObject } from 'react';
import type { Composition } from './use-composition.ts';

export function useDropping(
  input: RefObject<HTMLTextAreaElement | null>,
  { attach, insert }: Pick<Composition, 'attach' | 'insert'>,
) {
  const [isDragging, setDragging] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      const hasFiles = event.dataTransfer.types.includes('Files');
      if (!hasFiles && event.target === input.current) return;
      event.preventDefault();
      setDragging(hasFiles);
    },
    onDragLeave: (): void => setDragging(false),
    onDrop: (event: DragEvent): void => {
      setDragging(false);
      const { files: dropped } = event.dataTransfer;
      // Text that is dropped at a place of the text goes there, as the browser does it.
      if (dropped.length === 0 && event.target === input.current) return;
      event.preventDefault();
      if (dropped.length > 0) attach(dropped);
      else insert(event.dataTransfer.getData('text/plain'));
      input.current?.focus();
    },
  };
  return { isDragging, handlers };
}
