/** Above the pages of what is archived: it can be read, and nothing can be changed. */
import { Alert } from '@mantine/core';
import { Archive } from 'lucide-react';

export function ArchivedNotice({ text }: { readonly text: string }) {
  return (
    <Alert color="yellow" radius={0} py={6} icon={<Archive size={16} aria-hidden />} role="status">
      {text}
    </Alert>
  );
}
