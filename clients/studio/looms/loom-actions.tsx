/** What is done to instructions as a whole: the next version, another name, the archive and back. */
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Loom } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { Restore } from '../parts/restore.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

interface LoomActionsProps {
  readonly loom: Loom;
  /** Undefined while there is nothing yet to start from. */
  readonly onWrite: (() => void) | undefined;
}

export function LoomActions({ loom: { loomId, name, archivedAt }, onWrite }: LoomActionsProps) {
  const texts = useTexts().looms;
  const { client, environmentId } = useTenant();
  const queries = useQueryClient();
  const [opened, setOpened] = useState<'rename' | 'archive'>();
  const close = (): void => setOpened(undefined);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['looms', environmentId] });
  const restore = async (): Promise<void> => {
    await client.looms.update(loomId, { archived: false });
    await refresh();
  };
  if (archivedAt != null) return <Restore label={texts.restore} run={restore} />;
  return (
    <>
      {onWrite !== undefined && <Button onClick={onWrite}>{texts.nextVersion}</Button>}
      <Button variant="default" onClick={() => setOpened('rename')}>
        {texts.rename}
      </Button>
      <Button variant="default" color="red" onClick={() => setOpened('archive')}>
        {texts.archive}
      </Button>
      {opened === 'rename' && (
        <NameDialog
          title={texts.renameTitle(name)}
          label={texts.name}
          name={name}
          action={texts.rename}
          run={async given => {
            await client.looms.update(loomId, { name: given });
            await refresh();
          }}
          onClose={close}
        />
      )}
      {opened === 'archive' && (
        <Confirm
          title={texts.archiveTitle(name)}
          action={texts.archive}
          name={name}
          run={async () => {
            await client.looms.archive(loomId);
            await refresh();
          }}
          onClose={close}
        >
          {texts.archiveHint}
        </Confirm>
      )}
    </>
  );
}
