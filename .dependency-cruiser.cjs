// Who may import whom: the arrows of the house point down only.
const room = (name) => `^src/${name}/`;

/** Rooms that each room may import, beside itself and platform. */
const arrows = {
  cli: ['ui', 'store', 'client', 'wire', 'service', 'agent', 'transcript', 'render'],
  ui: ['store', 'render', 'transcript', 'wire'],
  store: ['client', 'transcript', 'wire'],
  client: ['wire'],
  transcript: ['wire'],
  service: ['agent', 'transcript', 'wire'],
  agent: [],
  render: [],
  wire: [],
  platform: [],
};

const rooms = Object.entries(arrows).map(([name, allowed]) => ({
  name: `arrows-of-${name}`,
  severity: 'error',
  from: { path: room(name) },
  to: { path: '^src/', pathNot: [name, 'platform', ...allowed].map(room) },
}));

module.exports = {
  forbidden: [
    ...rooms,
    {
      name: 'platform-only-from-rooms-with-io',
      comment: 'wire, transcript, render and store do no I/O, so they need nothing of the platform',
      severity: 'error',
      from: { path: '^src/(wire|transcript|render|store)/' },
      to: { path: room('platform') },
    },
    {
      name: 'no-io-in-pure-rooms',
      severity: 'error',
      from: { path: '^src/(wire|transcript|render|store)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
    {
      name: 'react-only-in-ui',
      severity: 'error',
      from: { path: '^src/', pathNot: room('ui') },
      to: { path: 'node_modules/(react|ink|ink-text-input)/' },
    },
    {
      name: 'model-sdk-only-in-agent',
      severity: 'error',
      from: { path: '^src/', pathNot: room('agent') },
      to: { path: 'node_modules/@earendil-works/' },
    },
    {
      name: 'only-the-daemon-command-starts-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/daemon', room('service')] },
      to: { path: room('service') },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
  },
};
