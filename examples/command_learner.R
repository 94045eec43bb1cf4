# Example of a learner that is an external command, in base R: an arc Y -> X if the rates of X differ between
# the states of Y, by Poisson regressions of the transitions of X on its states with and without Y.
#   ctbnlab learn data.csv --command 'Rscript examples/command_learner.R {data} {arcs} {alpha}' --option alpha=0.001
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], check.names = FALSE, colClasses = "character")
alpha <- if (length(arguments) > 2) as.numeric(arguments[3]) else 0.001

names <- setdiff(colnames(data), c("trajectory", "time"))
trajectory <- if ("trajectory" %in% colnames(data)) data$trajectory else rep("1", nrow(data))
time <- as.numeric(data$time)
last <- nrow(data)
# One row of the data is an interval that ends with the next row, if that is of the same trajectory.
inside <- which(trajectory[-1] == trajectory[-last])

# The p-value of Y in a regression of the transitions of X, with the time spent in each cell as exposure.
p_value <- function(x, y) {
  from <- data[inside, x]
  other <- data[inside, y]
  to <- data[inside + 1, x]
  duration <- time[inside + 1] - time[inside]
  cells <- aggregate(duration, list(from = from, other = other), sum)
  targets <- unique(data[[x]])
  counts <- merge(cells, data.frame(to = targets))
  counts <- counts[counts$to != counts$from & counts$x > 0, ]
  key <- function(a, b, c) paste(a, b, c, sep = "\r")
  moved <- table(key(from, other, to)[from != to])
  counts$n <- as.numeric(moved[key(counts$from, counts$other, counts$to)])
  counts$n[is.na(counts$n)] <- 0
  if (length(unique(counts$other)) < 2 || sum(counts$n) == 0) return(1)
  move <- factor(paste(counts$from, counts$to, sep = "\r"))
  other <- factor(counts$other)
  fit <- function(formula) suppressWarnings(glm(formula, poisson, offset = log(counts$x)))
  small <- if (nlevels(move) > 1) fit(counts$n ~ move) else fit(counts$n ~ 1)
  large <- if (nlevels(move) > 1) fit(counts$n ~ move * other) else fit(counts$n ~ other)
  freedom <- small$df.residual - large$df.residual
  if (freedom < 1) return(1)
  pchisq(max(0, small$deviance - large$deviance), freedom, lower.tail = FALSE)
}

pairs <- expand.grid(from = names, to = names, stringsAsFactors = FALSE)
pairs <- pairs[pairs$from != pairs$to, ]
p <- if (nrow(pairs)) mapply(function(from, to) p_value(to, from), pairs$from, pairs$to) else numeric()
pairs$score <- if (nrow(pairs)) -log10(pmax(p, 1e-300)) else numeric()
pairs$kept <- if (nrow(pairs)) p < alpha else logical()
write.csv(pairs, arguments[2], row.names = FALSE)
