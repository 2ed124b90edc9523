/**
 * Who may import whom: a folder may import its own files and these, and nothing else of ours. ESLint enforces it
 * (eslint.config.mjs), and the picture in docs/code-map.md shows it. Plain JavaScript, because editors load ESLint's configuration
 * with a Node of their own.
 */
export const mayImport = {
  domain: [],
  db: ['domain', 'config'],
  adapters: ['domain', 'config'],
  workflows: ['domain'],
  services: ['domain', 'db', 'adapters', 'config', 'workflows'],
  activities: ['domain', 'db', 'adapters', 'config', 'services', 'workflows'],
  api: ['domain', 'db', 'adapters', 'config', 'services', 'workflows'],
  workers: ['domain', 'db', 'adapters', 'config', 'services', 'workflows', 'activities'],
  tools: [],
};
