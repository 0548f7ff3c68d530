export { MediaLinks } from './links.ts';
export { serveMedia } from './routes.ts';
