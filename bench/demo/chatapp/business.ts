/** A business at the chat provider, and its channel at a node: what every program about chatapp channels begins with. */
import type {
  Account,
  App,
  ChatappProvider,
  PhoneNumber,
} from '../../../test/support/chatapp-provider/index.ts';
import type { Api } from '../api.ts';

/** An app at the provider, and an account with one number that the app may act for. */
export interface Business {
  readonly app: App;
  readonly account: Account;
  readonly number: PhoneNumber;
}

export function openBusiness({ accounts }: ChatappProvider): Business {
  const app = accounts.addApp();
  const account = accounts.addAccount();
  return { app, account, number: accounts.addNumber(account) };
}

/** Tells Skein of the app; gives the id under which a channel is connected with it. */
export async function registerApp(studio: Api, { app }: Business): Promise<string> {
  const { workspaceId } = await studio.get<{ workspaceId: string }>('/studio/me');
  const body = { workspaceId, name: 'My app', appId: app.id, appSecret: app.secret };
  const made = await studio.post<{ partnerAppCredentialId: string }>('/meta-apps', body);
  return made.partnerAppCredentialId;
}

/** A chatapp channel that is not connected yet; gives its id. */
export async function createChatappChannel(
  api: Api,
  { projectId, environmentId }: { readonly projectId: string; readonly environmentId: string },
): Promise<string> {
  const body = { projectId, environmentId, name: 'Chat', kind: 'chatapp' };
  return (await api.post<{ channelId: string }>('/channels', body)).channelId;
}

/** What `POST /channels/{channelId}/chatapp/connect` answers, as far as these programs read it. */
export interface Connection {
  readonly status: string;
  readonly displayPhoneNumber: string | null;
  readonly tokenExpiresAt: string | null;
}

/** @param given an `accessToken` or a `code`, and the app. */
export function connectChannel(
  api: Api,
  { projectId, channelId }: { readonly projectId: string; readonly channelId: string },
  given: Readonly<Record<string, string>>,
): Promise<Connection> {
  return api.post<Connection>(`/channels/${channelId}/chatapp/connect`, { projectId, ...given });
}
