/** Revokes a partner app, by its name; where channels use it, says which. */
import { Text } from '@mantine/core';
import { PageLink } from '../../kit/account/account-page.tsx';
import { skein } from '../../kit/browser-session.ts';
import { ApiError, type PartnerAppCredential } from '../../sdk/index.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Name } from '../parts/name.tsx';
import { texts } from '../texts/partner-apps.ts';

interface RevokeAppProps {
  readonly app: PartnerAppCredential;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

export function RevokeApp({ app, onDone, onClose }: RevokeAppProps) {
  return (
    <Confirm
      title={texts.revokeTitle(app.name)}
      action={texts.revoke}
      name={app.name}
      run={async () => {
        await skein.partnerApps.revoke(app.partnerAppCredentialId);
        await onDone();
      }}
      problem={error => <Problem error={error} />}
      onClose={onClose}
    >
      {texts.revokeHint}
    </Confirm>
  );
}

interface UsingChannel {
  readonly channelId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly name: string;
}

function Problem({ error }: { readonly error: unknown }) {
  const channels = readChannels(error);
  return (
    <>
      <ErrorNote error={error} />
      {channels.length > 0 && (
        <Text size="sm" component="div">
          {texts.inUse}
          <ul>
            {channels.map(({ name, ...params }) => (
              <li key={params.channelId}>
                <PageLink to="/$projectId/$environmentId/channels/$channelId" params={params}>
                  <Name of={name} id={params.channelId} />
                </PageLink>
              </li>
            ))}
          </ul>
        </Text>
      )}
    </>
  );
}

/** Those that the server names. */
function readChannels(error: unknown): readonly UsingChannel[] {
  if (!(error instanceof ApiError) || error.code !== 'svc/partner_app/in_use') return [];
  const { channels } = (error.details ?? {}) as { readonly channels?: readonly UsingChannel[] };
  return channels ?? [];
}
