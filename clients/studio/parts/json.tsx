/** A payload as it is, indented. */
import { Code } from '@mantine/core';
import { useMemo } from 'react';

export function Json({ label, value }: { readonly label: string; readonly value: unknown }) {
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  return (
    <Code block tabIndex={0} role="group" aria-label={label} mah={480} style={{ overflow: 'auto' }}>
      {text}
    </Code>
  );
}
