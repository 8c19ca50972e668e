import { execFileSync } from 'node:child_process';
import { missingForImages } from './engine.ts';
import { missingForLocalImages } from './local-images.ts';

const PROGRAMS = {
  unshare: 'util-linux',
  nsenter: 'util-linux',
  ip: 'iproute2',
  nft: 'nftables',
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  go: 'Go 1.26 or later',
};

const isThere = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore', env: process.env });
    return true;
  } catch {
    return false;
  }
};

/** Returns the missing requirement of a Kubernetes node on this machine, and how to get it; undefined when nothing is missing. */
export function missingForCluster(): string | undefined {
  const images = missingForImages();
  if (images !== undefined) return images;
  if (process.getuid?.() !== 0) return 'not root, which namespaces and control groups require';
  const lacks = Object.entries(PROGRAMS).flatMap(([program, from]) =>
    isThere(program) ? [] : [`no ${program} (${from})`],
  );
  const localImages = missingForLocalImages(['KAFKA_IMAGE', 'ENVOY_IMAGE']);
  const all = [...lacks, ...(localImages === undefined ? [] : [localImages])];
  return all.length === 0 ? undefined : all.join('; ');
}
