/** A business at the chat provider, and its channel at a node. */
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

/** Registers the app with Skein. Gives the id with which a channel is connected. */
export async function registerApp(studio: Api, { app }: Business): Promise<string> {
  const { workspaceId } = await studio.get<{ workspaceId: string }>('/studio/me');
  const body = { workspaceId, name: 'My app', appId: app.id, appSecret: app.secret };
  const made = await studio.post<{ partnerAppCredentialId: string }>('/meta-apps', body);
  return made.partnerAppCredentialId;
}

/** The fields that these programs read of the answer of `POST /channels/{channelId}/chatapp/connect`. */
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
