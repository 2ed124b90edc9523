import { apiClient, type Method } from '../../support/client.ts';
import type { Performed, Stories } from '../story.ts';

const get = async (path: string): Promise<Performed> => {
  const method: Method = 'GET';
  return { made: { method, path }, answer: await apiClient().call(method, path) };
};

export const platform: Stories = {
  health: () => get('/health'),
  healthOfVersion: () => get('/v1/health'),
  ready: () => get('/ready'),
};
