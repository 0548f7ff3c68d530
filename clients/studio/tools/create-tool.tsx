/** Makes a tool, and shows the secret of its signatures once. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreatedTool } from '../../sdk/index.ts';
import { DialogForm } from '../parts/dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { emptyTool, toToolBody } from './tool-fields.ts';
import { ToolForm } from './tool-form.tsx';

export function CreateTool({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().tools;
  const { client, projectId, environmentId } = useTenant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [fields, setFields] = useState(emptyTool);
  const [created, setCreated] = useState<CreatedTool>();
  const params = { projectId, environmentId, toolId: created?.toolId ?? '' };
  return (
    <SecretDialog
      title={created === undefined ? texts.create : created.name}
      size="lg"
      secret={created?.signingSecret}
      about={texts.secretOnce}
      done={texts.toTool}
      onDone={() => void navigate({ to: '/$projectId/$environmentId/tools/$toolId', params })}
      onClose={onClose}
      form={
        <DialogForm
          action={texts.create}
          isReady={fields.name.trim() !== '' && fields.url.trim() !== ''}
          run={async () => {
            setCreated(await client.tools.create(toToolBody(fields)));
            await queries.invalidateQueries({ queryKey: ['tools', environmentId] });
          }}
        >
          <ToolForm fields={fields} onChange={setFields} />
        </DialogForm>
      }
    />
  );
}
