#!/bin/sh
# A review in shares, each a task of a Slurm array; then all joined to one.
#
#     share=$(sbatch --parsable --array=1-8 examples/shards/slurm.sh examples/challenge 20261126)
#     sbatch --dependency=afterok:$share examples/shards/slurm.sh join 8
#
# The number in the first line is the seed, the same for all tasks, and yours: whoever wrote a
# submission must not know it. All tasks see the folder that they are submitted from. A task that is
# killed goes on from what it had finished. It is submitted again with the number of all shares:
#
#     SHARES=8 sbatch --array=3 examples/shards/slurm.sh examples/challenge 20261126
#SBATCH --job-name=dp-audit-review
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
set -eu

if [ "$1" = join ]; then
    # The names of the shares hold no spaces.
    exec dp-audit merge $(seq -f 'review-shares/%.0f' "$2") --out review
fi

# Without --array=1-N, from 1, the shares would not be all.
[ "$SLURM_ARRAY_TASK_MIN" -ge 1 ]
shares=${SHARES:-$SLURM_ARRAY_TASK_MAX}
mkdir -p review-shares

# A share alone is partial, and exits 3.
dp-audit review "$1" --seed "$2" --stage "${STAGE:-prescreen}" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$shares" --out "review-shares/$SLURM_ARRAY_TASK_ID" \
    || [ $? -eq 3 ]
