import { useTenant } from '../../shell/tenant.tsx';
import { texts } from '../../texts/chatapp.ts';
import { getConfigId } from './signup-config.ts';
import { findSignupPage } from './signup.ts';
import { usePartnerApps } from './use-partner-apps.ts';

/** An app by which a channel can be connected. */
export interface ConnectingApp {
  readonly key: string;
  readonly name: string;
  readonly appId: string;
  /** Null: the service's own. */
  readonly partnerAppCredentialId: string | null;
  /** Of its embedded sign-up; empty: nobody has said it. */
  readonly configId: string;
}

/** The workspace's, and the service's own, if it has one. Undefined until they are read. */
export function useConnectingApps(): {
  readonly data: readonly ConnectingApp[] | undefined;
  readonly error: unknown;
} {
  const { workspaceId } = useTenant();
  const { data, error } = usePartnerApps(workspaceId);
  if (data === undefined) return { data, error };
  const page = findSignupPage();
  const own: readonly ConnectingApp[] =
    page === undefined || page.appId === ''
      ? []
      : [
          {
            key: 'own',
            name: texts.ownApp,
            appId: page.appId,
            partnerAppCredentialId: null,
            configId: page.configId,
          },
        ];
  const active = data.filter(({ status }) => status === 'active');
  const ofWorkspace = active.map((app): ConnectingApp => ({
    key: app.partnerAppCredentialId,
    name: `${app.name} (${app.appId})`,
    appId: app.appId,
    partnerAppCredentialId: app.partnerAppCredentialId,
    configId: getConfigId(app),
  }));
  return { data: [...ofWorkspace, ...own], error };
}
